import {SimulatedEngine} from '../support/simulated-engine.ts';
import {testEngine} from './contract.ts';

testEngine('a simulated engine', () => new SimulatedEngine(), 100);
