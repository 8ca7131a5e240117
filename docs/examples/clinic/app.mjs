/** Runs the clinic on one machine: node docs/examples/clinic/app.mjs. Each line of the terminal is a text message of one contact. */
import { readFileSync } from 'node:fs';
import {
  attachmentFolder,
  compile,
  consoleChannel,
  createHost,
  sqliteStore,
  understudyPorts,
} from 'dramaturg';
import * as agents from './agents.mjs';
import { lifecycle } from './lifecycle.mjs';

const read = (file) =>
  compile(readFileSync(new URL(file, import.meta.url), 'utf8'), { fileName: file });
const conversation = (file) => ({ definition: read(file), lifecycle });

export const definitions = {
  intake: conversation('intake.plan.yaml'),
  survey: conversation('survey.plan.yaml'),
  booking: read('booking.asl.yaml'),
  reminder: read('reminder.asl.yaml'),
};

/** Photos of referrals are kept, and voice messages, which a port `transcribe` would write down. */
export const attachments = {
  place: attachmentFolder('clinic-files'),
  types: ['image/*', 'audio/*'],
};

const byName = new Map(Object.entries(agents));

export const ports = {
  ...understudyPorts(),
  // A rule of the clinic: the last digit is the sum of the others.
  validate: ({ value }) => {
    const digits = Array.from(String(value).slice(1), Number);
    const last = digits.pop();
    const sum = digits.reduce((all, digit) => all + digit, 0) % 10;
    return sum === last ? { ok: true } : { reason: 'This is not an insurance number.' };
  },
  runAgent: ({ agent, input }) => ({ result: byName.get(agent)(input) ?? null }),
};

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const channels = { sms: consoleChannel() };
  const store = sqliteStore('clinic.db');
  const host = await createHost({ store, definitions, ports, channels, attachments });
  await host.start('intake', { contact: '+4930555010', channel: 'sms' });
  for await (const line of process.stdin) {
    await host.receive({ contact: '+4930555010', channel: 'sms', text: String(line).trim() });
  }
  await host.stop();
}
