/**
 * The beginning of the command, bundled. It prints help and runs the quick commands itself, and loads the rest for all others:
 * these may load code of the user, which has to meet the same modules as `import 'dramaturg'`.
 */
import { prepareProcess, run } from './program.ts';
import { quickCommands } from './quick-commands.ts';
import type { ExitCode } from './usage-error.ts';

const args = process.argv.slice(2);
const [first = '--help'] = args;

if (first.startsWith('-') || Object.hasOwn(quickCommands, first)) {
  prepareProcess();
  void start().then((code) => {
    process.exitCode = code;
  });
} else {
  const others = '../cli/main.js';
  void import(/* @vite-ignore */ others);
}

async function start(): Promise<ExitCode> {
  if (!first.startsWith('-')) (await import('./interpret-schemas.ts')).interpretSchemas();
  return run(args, quickCommands);
}
