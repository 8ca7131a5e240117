import { type ConversationContext, freshConversation } from '@dramaturg/conversation';
import type { Outcome, Verdict } from './definition.ts';

export { own } from '@dramaturg/conversation';

/**
 * The data that guards and prompts read. `turn`, `messages`, `message` and `inbox` are those of the session. `opening` says who
 * speaks first in the first session; in later ones the NPC does.
 */
export interface NpcContext extends ConversationContext, Session {
  readonly player: Player;
  /** Knowledge about the player from earlier; used only in prompts. */
  readonly memory: string;
  /** How many sessions have begun: each started scenario is one. */
  readonly session: number;
  /** The current scenario, by `machine_key`. */
  readonly machine: string;
  /** No scenario has an end of its own: only the agent ends it. */
  readonly endless?: true;
  /** Set when the NPC has ended the conversation without a verdict, else null. */
  readonly endedByAgent: { readonly reason?: string } | null;
  /** Scenarios that links have opened, in that order. */
  readonly unlocked: readonly string[];
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

/** What a session adds to a conversation. */
type Session = Readonly<Omit<typeof freshSession, keyof ConversationContext>>;

/** A session that has not begun: everything that starting a scenario resets. */
export const freshSession = {
  ...freshConversation,
  /** The current state. During a follow-up it is the interrupted state. */
  state: '',
  score: 0,
  /** Redirects in this visit of the state. */
  redirects: 0,
  /** Probing questions since the follow-up was entered. */
  probes: 0,
  /** The lines of the follow-up so far: the message in doubt, the probes, the answers. */
  thread: [] as readonly Line[],
  /** The NPC has spoken in this session. An earlier message answers nothing, and is not judged. */
  opened: false,
  verdict: null as GivenVerdict | null,
  /** The purpose of the next line. */
  directive: 'opening' as Directive,
  /** The state whose prompt voices the next line. */
  voice: '',
  summary: undefined,
  folded: undefined,
  outcome: null as Outcome | null,
  /** The unlocked scenarios that the last scenario opened. */
  justUnlocked: [] as readonly string[],
};

/** The first message of the follow-up and the latest lines; the log has the rest. */
const longestThread = 9;

export function withLine(thread: readonly Line[], line: Line): readonly Line[] {
  const lines = [...thread, line];
  return lines.length <= longestThread ? lines : [lines[0]!, ...lines.slice(-(longestThread - 1))];
}
