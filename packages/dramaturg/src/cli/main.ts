import { prepareProcess, run } from './program.ts';

prepareProcess();
process.exitCode = await run(process.argv.slice(2));
