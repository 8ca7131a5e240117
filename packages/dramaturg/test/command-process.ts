/**
 * A process that runs one `dramaturg` command after another: the modules are loaded once. Each command has its own
 * arguments, folder, environment and standard input, and a new copy of the modules that it imports from outside of
 * Dramaturg. As in a process of its own, a command is over when nothing is left to do.
 */
import { registerHooks } from 'node:module';
import { PassThrough } from 'node:stream';
import type * as AllCommands from '../src/cli/all-commands.ts';
import type * as Program from '../src/cli/program.ts';

export interface CommandRequest {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input: string;
  /** The permissions that new files do not have; those of the tests by default. */
  readonly umask?: number;
  /** Written to both streams after the output, because a stream may arrive later than the exit code. */
  readonly endOfOutput: string;
}

/** The exit code of Node when a top-level promise never settles. */
const unsettled = 13;

const umaskOfTests = process.umask();

let commands = 0;
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const { url } = resolved;
    const isOurs = !url.startsWith('file:') || /\/(?:dist|node_modules)\//.test(url);
    return isOurs ? resolved : { ...resolved, url: `${url}?command=${commands}` };
  },
});

const built = (name: string) => new URL(`../dist/cli/${name}.js`, import.meta.url).href;
const { prepareProcess, run } = (await import(built('program'))) as typeof Program;
const { allCommands } = (await import(built('all-commands'))) as typeof AllCommands;
// One after another uses them all, and loading is not what tests measure.
for (const load of Object.values(allCommands)) await load();
prepareProcess();

process.on('message', ({ args, cwd, env, input, umask, endOfOutput }: CommandRequest) => {
  commands += 1;
  process.umask(umask ?? umaskOfTests);
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const stdin = new PassThrough();
  stdin.end(input);
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });

  let code: number | undefined;
  void run(args, allCommands).then((exitCode) => {
    code = exitCode;
  });
  // Without this reference, `beforeExit` is emitted as soon as the command has nothing left to do.
  process.channel!.unref();
  const end = () => {
    if (code === undefined && process.listenerCount('beforeExit') > 0) {
      // The command itself listens, and may settle now.
      process.once('beforeExit', end);
      setImmediate(() => {});
      return;
    }
    for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
    process.channel!.ref();
    process.stdout.write(endOfOutput);
    process.stderr.write(endOfOutput);
    process.send!(code ?? unsettled);
  };
  process.once('beforeExit', end);
});
process.on('disconnect', () => process.exit());
