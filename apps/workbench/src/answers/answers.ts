import type { Json, Ports } from '@dramaturg/compiler';
import { type Clock, realClock, understudyPorts, virtualClock } from '@dramaturg/host/browser';
import { type ModelSettings, modelPorts } from './model-ports.ts';

/** Who answers what a machine asks. */
export interface AnswerOptions {
  /** Words a second of the understudy; 0 is at once. */
  readonly speed: number;
  /** What agents of workflows and tools answer, by name; without one an agent hands its input back. */
  readonly agents: Readonly<Record<string, Json>>;
  readonly clock: WorkbenchClock;
  /** A model instead of the understudy. */
  readonly model?: ModelSettings | undefined;
}

export interface WorkbenchClock extends Clock {
  /** Work that takes real time: meanwhile no wait ends. */
  readonly busy: <Value>(work: Promise<Value>) => Promise<Value>;
}

/** The time of day, or one on which waits take none. */
export function clockFor(waits: 'real' | 'skipped'): WorkbenchClock {
  if (waits === 'skipped') return virtualClock({ startAt: Date.now() });
  return { ...realClock(), busy: (work) => work };
}

/** Milliseconds in which an agent can be seen to work, at 25 words a second. */
const work = 350;

export function portsFor({ speed, agents, clock, model }: AnswerOptions): Partial<Ports> {
  const talk = model
    ? modelPorts(model)
    : understudyPorts({ wordDelay: speed > 0 ? 1000 / speed : 0 });
  const perform = async (name: string, input: Json, signal: AbortSignal) => {
    await clock.busy(pause(speed > 0 ? (work * 25) / speed : 0, signal));
    return { result: Object.hasOwn(agents, name) ? agents[name]! : input };
  };
  return {
    ...talk,
    timer: clock.timer,
    runAgent: ({ agent, input }, { signal }) => perform(agent, input, signal),
    callTool: ({ tool, arguments: given }, { signal }) => perform(tool, given, signal),
  };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
