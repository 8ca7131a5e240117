/**
 * The beginning of the command, bundled. It prints help and runs the quick commands itself. All others are loaded from outside
 * the bundle: they may load code of the user, which has to get the same modules as `import 'dramaturg'`.
 */
import { prepareProcess, run } from './program.ts';
import { quickCommands } from './quick-commands.ts';
import type { ExitCode } from './usage-error.ts';

const args = process.argv.slice(2);
const [first = '--help'] = args;

/** Whether this bundle runs the command. */
export const isQuick = first.startsWith('-') || Object.hasOwn(quickCommands, first);

if (isQuick) {
  prepareProcess();
  void start().then((code) => {
    process.exitCode = code;
  });
}

async function start(): Promise<ExitCode> {
  if (!first.startsWith('-')) (await import('./interpret-schemas.ts')).interpretSchemas();
  return run(args, quickCommands);
}
