import { freePort, sharedRestate } from '@dramaturg/test-servers';
import { json, Running, until } from './processes.ts';

let count = 0;

/** The options that name a namespace of the server that no other test uses. */
export async function restate(): Promise<readonly string[]> {
  const { ingress, admin } = await sharedRestate();
  const namespace = `test-${process.pid}-${(count += 1)}`;
  return ['--restate', ingress, '--restate-admin', admin, '--namespace', namespace];
}

const ports = new Map<readonly string[], number>();

/** Starts a process with handlers. Those of the same place share a port. */
export async function serve(
  place: readonly string[],
  definition = 'customer-intake.plan.json',
  ...options: string[]
): Promise<Running> {
  const port = ports.get(place) ?? (await freePort());
  ports.set(place, port);
  const handler = new Running([
    'serve',
    ...place,
    '--listen',
    `127.0.0.1:${port}`,
    '--definition',
    definition,
    ...options,
  ]);
  await handler.says(options.includes('--json') ? '"ready"' : 'Ctrl+C stops this process.');
  return handler;
}

export async function reaches(place: readonly string[], id: string, state: string): Promise<void> {
  await until(async () => (await json(['show', ...place, id]))['state'] === state);
}

export async function transcriptOf(
  place: readonly string[],
  id: string,
): Promise<readonly string[]> {
  const lines = (await json(['logs', ...place, id])) as unknown as { role: string; text: string }[];
  return lines.filter(({ role }) => role !== 'system').map(({ role, text }) => `${role}: ${text}`);
}

export async function oneSays(handlers: readonly Running[], text: string): Promise<void> {
  await Promise.any(handlers.map((handler) => handler.says(text)));
}
