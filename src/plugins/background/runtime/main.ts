// The program of a background: a process of its own that loads one plugin and answers its calls. Standard output and standard
// error belong to the plugin; the service is reached over two pipes.
import {lowerPriority} from './lower-priority.ts';
import {startWatchdog} from './watchdog.ts';

// First: threads that start later inherit it.
lowerPriority();
// The watchdog runs before any code of the plugin does, which may never return. It starts while the rest is loaded.
const watchdog = startWatchdog();
const {serve} = await import('./serve.ts');
await watchdog;
serve();
