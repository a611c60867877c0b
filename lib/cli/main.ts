#!/usr/bin/env node
import { endOnBrokenOutput } from './broken-output.ts';
import { runCommandLine } from './run-command-line.ts';

endOnBrokenOutput();
process.exitCode = await runCommandLine(process.argv.slice(2));
