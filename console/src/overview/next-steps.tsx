import {programAddress} from '../service/own-origin.ts';
import {Command} from '../shell/command.tsx';

/** Commands for the first steps of a newcomer. */
export function NextSteps() {
  const origin = programAddress();
  return (
    <section class="card" aria-labelledby="next-title">
      <h2 id="next-title">Next steps</h2>
      <p>Ask who the pilot is, as a plugin does, and store a value:</p>
      <Command text={`curl ${origin}/api/identity`} />
      <Command text={`curl -X POST ${origin}/api/store/com.example.hello%2Fvolume -d '0.5'`} />
      <p>The same from TypeScript, in a browser or in Node:</p>
      <Command
        text={`import {createClient} from 'crewroom/client';

const {entries} = createClient({baseUrl: '${origin}'});
await entries.putValue('com.example.hello/volume', 0.5);`}
      />
      <p>Serve a pilot of your own: save this one, edit it, and start the service with the file.</p>
      <Command text="npx crewroom identity --pretty > me.json" />
      <Command text="npx crewroom start --profile me.json" />
    </section>
  );
}
