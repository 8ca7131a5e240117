import { setTimeout as pause } from 'node:timers/promises';
import type { McpEvents, McpHost } from './mcp-host.ts';
import type { ToolUse } from './served-tool.ts';

type View = Awaited<ReturnType<McpHost['get']>>;

/** Milliseconds between polls of an instance. */
const lookIntervalMs = 100;
const linesMax = 200;

export interface Waiting extends Pick<ToolUse, 'signal' | 'report'> {
  readonly waitMs: number;
  readonly events?: McpEvents | undefined;
  /** Also reports the states that it entered before. */
  readonly isNew?: boolean;
}

/** Waits until an instance has ended or waits for people, or until the time is over. */
export async function settled(host: McpHost, id: string, waiting: Waiting): Promise<View> {
  const reported = new AbortController();
  const ended = AbortSignal.any([waiting.signal, reported.signal]);
  if (waiting.report) void reportStates(id, waiting, ended).catch(() => {});
  try {
    return await looking(host, id, waiting);
  } finally {
    reported.abort();
  }
}

/** Progress is for display: if it cannot be reported, the wait continues. */
async function reportStates(
  id: string,
  { events, report, isNew = false }: Waiting,
  signal: AbortSignal,
): Promise<void> {
  const filter = { instance: id, types: ['state.entered'], signal };
  const entered = events?.(isNew ? { ...filter, after: 'beginning' } : filter) ?? [];
  for await (const { source, event } of entered)
    if (source === 'flow' && 'state' in event) report?.(String(event['state']));
}

async function looking(host: McpHost, id: string, { waitMs, signal }: Waiting): Promise<View> {
  const deadline = performance.now() + waitMs;
  // Polls more than once, so that progress is reported.
  for (let looks = 0; ;) {
    const view = await host.get(id);
    if (view.ended) return view;
    looks = isBusy(view) ? 0 : looks + 1;
    if (looks === 3 || performance.now() >= deadline) return view;
    await pause(lookIntervalMs, undefined, { signal });
  }
}

/** The view of an instance for a client that talks to it. */
export function briefOf(view: View) {
  const { id, definition, state, ended } = view;
  return { instance: id, definition: definition.name, state, ended, isWorking: isBusy(view) };
}

/** The view of an instance for a client that may read it. */
export function standingOf(view: View) {
  const { id, output, failure, waits, decisions, collected } = view;
  return {
    ...briefOf(view),
    ...(output !== undefined && { output }),
    ...(failure !== undefined && { failure }),
    ...(collected !== undefined && { collected }),
    waitsFor: waits.map((wait) => wait.for),
    decisions: decisions.map(({ id: question, prompt, options }) => ({
      decision: `${id}/${question}`,
      prompt,
      options,
    })),
  };
}

/** The replies to a message of the contact, up to the contact's next one. */
export async function repliesTo(host: McpHost, view: View, message: string): Promise<string[]> {
  const from = Math.max(0, view.transcriptLength - linesMax);
  const lines = await host.transcript(view.id, { from, limit: linesMax });
  const after = lines.findLastIndex(({ id }) => id === message) + 1;
  const next = lines.findIndex(({ role }, index) => index >= after && role === 'contact');
  return lines
    .slice(after, next < 0 ? undefined : next)
    .filter(({ role }) => role === 'agent' || role === 'manual')
    .map(({ text }) => text);
}

/** Whether an instance makes progress without people and outside events: it runs a call, or a turn is about to make one. */
function isBusy({ ended, queue, waits, isAnswering }: View): boolean {
  if (ended) return false;
  if (waits.some((wait) => wait.for === 'call' || wait.for === 'retry')) return true;
  const isOutside = waits.some((wait) => wait.source === 'flow' && wait.for !== 'message');
  return isAnswering && queue === undefined && !isOutside;
}
