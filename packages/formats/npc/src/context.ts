import type { ConversationContext } from '@dramaturg/conversation';
import type { Outcome, Verdict } from './definition.ts';

export { own } from '@dramaturg/conversation';

/**
 * The data that guards and prompts read. `turn`, `messages`, `message` and `inbox` are those of the session. `opening` says who
 * speaks first in the first session; in later ones the NPC does.
 */
export interface NpcContext extends ConversationContext {
  readonly player: Player;
  /** Knowledge about the player from earlier; used only in prompts. */
  readonly memory: string;
  /** How many sessions have begun: each started scenario is one. */
  readonly session: number;
  /** The current scenario, by `machine_key`. */
  readonly machine: string;
  /** The current state. During a follow-up it is the interrupted state. */
  readonly state: string;
  readonly score: number;
  /** Redirects in this visit of the state. */
  readonly redirects: number;
  /** Probing questions since the follow-up was entered. */
  readonly probes: number;
  /** The lines of the follow-up so far: the message in doubt, the probes, the answers. */
  readonly thread: readonly Line[];
  /** The NPC has spoken in this session. An earlier message answers nothing, and is not judged. */
  readonly opened: boolean;
  readonly verdict: GivenVerdict | null;
  /** The purpose of the next line. */
  readonly directive: Directive;
  /** The state whose prompt voices the next line. */
  readonly voice: string;
  readonly outcome: Outcome | null;
  /** No scenario has an end of its own: only the agent ends it. */
  readonly endless?: true;
  /** Set when the NPC has ended the conversation without a verdict, else null. */
  readonly endedByAgent: { readonly reason?: string } | null;
  /** Scenarios that links have opened, in that order. */
  readonly unlocked: readonly string[];
  /** The scenarios among these that the last scenario opened. */
  readonly justUnlocked: readonly string[];
  /** The result of each scenario from the last time that it was played. */
  readonly results: readonly ScenarioResult[];
  /** Output variables of completed scenarios, by key. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface Player {
  readonly name?: string;
  readonly gender?: Gender;
}

export const genders = ['female', 'male', 'non-binary'] as const;
export type Gender = (typeof genders)[number];

export interface Line {
  readonly by: 'player' | 'npc';
  readonly text: string;
}

export type Directive = 'opening' | 'arrived' | 'redirect' | 'probe' | 'hand_over' | 'close';

export interface GivenVerdict {
  /** The verdict that takes effect; null when the evaluator gave none. */
  readonly effect: Verdict | null;
  /** The evaluator's own verdict, if it differs. */
  readonly given?: Verdict;
  readonly reason?: string;
}

export type ScenarioResult = {
  readonly machine: string;
  readonly outcome: Outcome;
  readonly score: number;
  readonly state: string;
};

/** A session that has not begun: everything that starting a scenario resets. */
export const freshSession = {
  state: '',
  score: 0,
  redirects: 0,
  probes: 0,
  thread: [],
  opened: false,
  turn: 0,
  messages: 0,
  message: null,
  inbox: [],
  verdict: null,
  directive: 'opening',
  voice: '',
  summary: undefined,
  folded: undefined,
  outcome: null,
  justUnlocked: [],
} as const satisfies Partial<NpcContext>;

/** The first message of the follow-up and the latest lines; the log has the rest. */
const longestThread = 9;

export function withLine(thread: readonly Line[], line: Line): readonly Line[] {
  const lines = [...thread, line];
  return lines.length <= longestThread ? lines : [lines[0]!, ...lines.slice(-(longestThread - 1))];
}
