import { readFile } from 'node:fs/promises';
import { compile, consoleChannel, understudyPorts } from 'dramaturg';
import { restateHost } from 'dramaturg/restate';

/** One handler process. The others are just the same, and share its port. */
const file = 'customer-intake.plan.json';
const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');

const host = await restateHost({
  ingress: process.env.RESTATE_INGRESS,
  admin: process.env.RESTATE_ADMIN,
  definitions: { intake: compile(text, { fileName: file }) },
  // In place of a model: it reads the answers by rules.
  ports: understudyPorts(),
  channels: { console: consoleChannel((line) => process.stdout.write(`${process.pid}: ${line}`)) },
  handlers: { port: Number(process.env.HANDLERS_PORT) },
});
process.send('ready');

const stop = async () => {
  await host.stop({ within: 5_000 });
  process.exit();
};
process.once('SIGTERM', () => void stop());
// Ctrl+C reaches all processes of the terminal. The starter ends this one.
process.on('SIGINT', () => {});
