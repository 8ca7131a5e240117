/** Holds the conversation in this terminal: npm start */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { compile, providePorts } from 'dramaturg';
import { createActor, waitFor } from 'xstate';
import { ports } from './ports.js';

const fileName = 'lighthouse.npc.yaml';
const text = await readFile(new URL(fileName, import.meta.url), 'utf8');
const { machine, diagnostics } = compile(text, { fileName });
if (!machine) throw new Error(diagnostics.map(({ message }) => message).join('\n'));

const actor = createActor(providePorts(machine, ports));
actor.on('message.sent', (message) => console.log(message.text));
actor.start();

/** Until it is the person's turn, or the conversation has ended. */
const turn = () => waitFor(actor, (now) => now.status !== 'active' || now.hasTag('waiting'));

await turn();
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  actor.send({ type: 'message.received', text: line });
  const { status } = await turn();
  if (status !== 'active') break;
}
const { status, output, error } = actor.getSnapshot();
if (status === 'error') throw error;
console.log(status === 'done' ? output : 'The conversation goes on another time.');
process.exit();
