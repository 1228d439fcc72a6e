import './next-steps.css';
import type {ComponentChildren} from 'preact';
import {formatRoute} from '../route.ts';
import type {PluginList, Session} from '../service/documents.ts';
import {Command} from '../shell/command.tsx';
import {
  crewroomCommand,
  exampleOfReading,
  exampleOfWriting,
  NEW_PLUGIN_LINES,
  serviceCommand,
} from '../shell/format/example-commands.ts';
import type {OverviewState} from './overview-state.ts';
import {focusSignIn} from './sign-in-form.tsx';

interface NextStepsProps {
  readonly overview: OverviewState;
  /** Undefined until they are known. */
  readonly plugins: PluginList | undefined;
}

/** Something that a newcomer has not done yet, with the way to do it: what is said about it, and commands. */
interface Step {
  readonly title: string;
  readonly about: ComponentChildren;
  readonly commands: readonly (string | undefined)[];
  /** A button in place of commands. */
  readonly button?: ComponentChildren;
}

/** The next steps of a newcomer: none that is done already, and nothing at all once every one is. */
export function NextSteps({overview, plugins}: NextStepsProps) {
  const {hasCaller, hasEntry} = overview.firstSteps;
  const session = overview.session.value.value;
  if (plugins === undefined || session === undefined) return null;
  const steps = [
    ...(session.state === 'signed-in' ? [] : [signInStep(session)]),
    ...(plugins.plugins.length === 0 ? [PLUGIN_STEP] : []),
    ...(hasCaller.value === false ? [CALL_STEP] : []),
    ...(hasEntry.value === false ? [ENTRY_STEP] : []),
  ];
  // A sample is a choice too: of users who have done everything else.
  const mayBeOther = steps.length > 0 && session.source === 'sample' && session.state === 'signed-in';
  const all = mayBeOther ? [...steps, PILOT_STEP] : steps;
  if (all.length === 0) return null;
  return (
    <section class="card next-steps" aria-labelledby="next-title">
      <h2 id="next-title">Next steps</h2>
      <ol>
        {all.map(({title, about, commands, button}) => (
          <li key={title}>
            <h3>{title}</h3>
            <p class="quiet">{about}</p>
            {commands.map(line => (
              <Command key={line} text={line} />
            ))}
            {button}
          </li>
        ))}
      </ol>
    </section>
  );
}

const PLUGIN_STEP: Step = {
  title: 'Begin a plugin',
  about: (
    <>
      It opens in a console of its own. The <a href="/docs/guides/first-plugin">guide</a> goes on from there.
    </>
  ),
  commands: NEW_PLUGIN_LINES,
};

const PILOT_STEP: Step = {
  title: 'Serve a pilot of your own',
  about: 'Save the document of the sample, edit it, and start the service with the file.',
  commands: [serviceCommand('identity --pretty > me.json'), crewroomCommand('start --profile me.json')],
};

const CALL_STEP: Step = {
  title: 'Ask who the pilot is',
  about: (
    <>
      As a plugin does. TypeScript has a <a href="/docs/client">client</a>.
    </>
  ),
  commands: [exampleOfReading()],
};

const ENTRY_STEP: Step = {
  title: 'Store a value',
  about: (
    <>
      It is on the disk when the answer comes, and among the <a href={formatRoute({view: 'entries'})}>entries</a>.
    </>
  ),
  commands: [exampleOfWriting()],
};

/** The way to a pilot, if plugins see none. */
function signInStep({source, scriptURL}: Session): Step {
  const hasForm = source === 'back-end' || scriptURL !== undefined;
  const samples = (
    <>
      Other samples are on the page <a href={formatRoute({view: 'identity'})}>Identity</a>.
    </>
  );
  return {
    title: 'Sign a pilot in',
    about: <>Plugins wait for one. {source === 'sample' && samples}</>,
    commands: hasForm ? [] : [serviceCommand('sign-in')],
    button: hasForm && (
      <p>
        <button type="button" class="primary" onClick={focusSignIn}>
          Sign in…
        </button>
      </p>
    ),
  };
}
