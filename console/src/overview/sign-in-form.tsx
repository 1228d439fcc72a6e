import {useId} from 'preact/hooks';
import {pageMarks} from '../service/page-marks.ts';
import {clickIf} from '../shell/click-if.ts';
import type {OverviewState} from './overview-state.ts';

/** The pilot of a back end that runs only to try it, with the password of this run; undefined at a real one. */
const TRIAL = readTrialPilot();

function readTrialPilot(): {readonly name: string; readonly username: string; readonly password: string} | undefined {
  const mark = pageMarks().find(({name}) => name === 'trial-pilot');
  return mark && JSON.parse(decodeURIComponent(mark.description));
}

/** Leads to the form, if one is shown; one that is folded is unfolded. */
export function focusSignIn(): void {
  const form = document.querySelector('.sign-in');
  form?.closest('details')?.setAttribute('open', '');
  form?.querySelector<HTMLElement>('button, input')?.focus();
}

/** The form with which a pilot signs in. The password is sent once, and kept nowhere. */
export function SignInForm({overview}: {readonly overview: OverviewState}) {
  const id = useId();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const isDone = await overview.signIn(String(fields.get('username')), String(fields.get('password')));
    form.querySelector<HTMLInputElement>('[name="password"]')?.select();
    if (isDone) form.reset();
  };
  return (
    <form class="sign-in" onSubmit={submit} aria-label="Sign in">
      {TRIAL !== undefined && <TrialSignIn overview={overview} pilot={TRIAL} />}
      <label for={`${id}-name`}>Pilot number or e-mail address</label>
      <input
        id={`${id}-name`}
        name="username"
        autocomplete="username"
        autocapitalize="off"
        spellcheck={false}
        required
      />
      <label for={`${id}-password`}>Password</label>
      <input id={`${id}-password`} name="password" type="password" autocomplete="current-password" required />
      <div class="buttons">
        <button type="submit" class="primary" {...clickIf(!overview.sessionChanges.isSending.value)}>
          Sign in
        </button>
      </div>
    </form>
  );
}

function TrialSignIn({overview, pilot}: {readonly overview: OverviewState; readonly pilot: NonNullable<typeof TRIAL>}) {
  const {name, username, password} = pilot;
  return (
    <div class="note">
      <p>
        {name} is there to try it: number <code>{username}</code>, password <code>{password}</code>.
      </p>
      <button
        type="button"
        class="primary"
        {...clickIf(!overview.sessionChanges.isSending.value, () => void overview.signIn(username, password))}
      >
        Sign in as {name}
      </button>
    </div>
  );
}
