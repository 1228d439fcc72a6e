#!/usr/bin/env node
import {processContext} from './context.ts';
import {runCli} from './run.ts';

process.exitCode = await runCli(processContext());
