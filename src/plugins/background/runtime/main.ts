// The program of a background: a process of its own that loads one plugin and answers its calls. Standard output and standard
// error belong to the plugin; the service is reached over two pipes.
import {lowerPriority} from './lower-priority.ts';
import {serve} from './serve.ts';
import {startWatchdog} from './watchdog.ts';

// First: threads that start later inherit it.
lowerPriority();
// Before any code of the plugin runs, which may never return.
startWatchdog();
serve();
