import type { Json, Ports } from '@dramaturg/compiler';
import { type Clock, realClock, virtualClock } from '@dramaturg/host/browser';
import { understudyPorts } from '@dramaturg/understudy';
import { type ModelSettings, modelPorts } from './model-ports.ts';

/** Options for the answers to the calls of a machine. */
export interface AnswerOptions {
  /** Words per second of the understudy; 0 means without pauses. */
  readonly speed: number;
  /** The answers of agents and tools, by name. Other agents return their input. */
  readonly agents: Readonly<Record<string, Json>>;
  readonly clock: WorkbenchClock;
  /** Counts the cost of all runs of the page. */
  readonly spending: Pick<Ports, 'countSpending'>;
  /** A model instead of the understudy. */
  readonly model?: ModelSettings | undefined;
}

export interface WorkbenchClock extends Clock {
  /** Runs work that takes real time. No wait ends while it runs. */
  readonly busy: <Value>(work: Promise<Value>) => Promise<Value>;
}

/** The real clock, or a virtual one on which waits take no time. */
export function clockFor(waits: 'real' | 'skipped'): WorkbenchClock {
  if (waits === 'skipped') return virtualClock({ startAt: Date.now() });
  return { ...realClock(), busy: (work) => work };
}

/** Milliseconds that an agent works at 25 words per second, so that people can see it. */
const workMs = 350;

export function portsFor({ speed, agents, clock, spending, model }: AnswerOptions): Partial<Ports> {
  const modelAnswers = model
    ? modelPorts(model)
    : understudyPorts({ wordDelay: speed > 0 ? 1000 / speed : 0 });
  const perform = async (name: string, input: Json, signal: AbortSignal) => {
    await clock.busy(pause(speed > 0 ? (workMs * 25) / speed : 0, signal));
    return { result: Object.hasOwn(agents, name) ? agents[name]! : input };
  };
  return {
    ...modelAnswers,
    ...spending,
    timer: clock.timer,
    runAgent: ({ agent, input }, { signal }) => perform(agent, input, signal),
    callTool: ({ tool, arguments: input }, { signal }) => perform(tool, input, signal),
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
