import {AppError} from '../../failures/app-error.ts';
import {AdvisedError} from '../failures/report.ts';

/** Replaces the advice of `unreadable-input`, which is about values, in a failure of the work. */
export async function withAdvice<T>(work: Promise<T>, advice: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isUnreadable = error instanceof AppError && error.failure.code === 'unreadable-input';
    throw isUnreadable ? new AdvisedError(error, advice) : error;
  }
}
