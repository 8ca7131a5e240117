import { allCommands } from './all-commands.ts';
import { prepareProcess, run } from './program.ts';

prepareProcess();
process.exitCode = await run(process.argv.slice(2), allCommands);
