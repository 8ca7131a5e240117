import type { ConversationContext } from '@dramaturg/conversation';
import type { Outcome, Verdict } from './definition.ts';

export { own } from '@dramaturg/conversation';

/**
 * What guards and prompts read. `turn`, `messages`, `message` and `inbox` are those of the session, and `opening` says who
 * has the first word of the first session: the NPC has it in every later one.
 */
export interface NpcContext extends ConversationContext {
  readonly player: Player;
  /** What is known of the player from before; goes into prompts and nowhere else. */
  readonly memory: string;
  /** How many sessions were begun: each scenario that is started is one. */
  readonly session: number;
  /** The scenario that is played, by `machine_key`. */
  readonly machine: string;
  /** The state the conversation is in. In follow-up it is the state that is interrupted. */
  readonly state: string;
  readonly score: number;
  /** Redirects in this visit of the state. */
  readonly redirects: number;
  /** Probing questions since the follow-up was entered. */
  readonly probes: number;
  /** What was said in the follow-up so far: the message in doubt, the probes, the answers. */
  readonly thread: readonly Line[];
  /** The NPC has spoken in this session. A message before that answers nothing, and is not judged. */
  readonly opened: boolean;
  readonly verdict: GivenVerdict | null;
  /** What the next line is to do. */
  readonly directive: Directive;
  /** The state whose prompt voices the next line. */
  readonly voice: string;
  /** The older part of the conversation in a few words, and how many messages it covers. */
  readonly summary: string;
  readonly summarised: number;
  readonly outcome: Outcome | null;
  /** Set when the NPC has ended the conversation without a verdict, else null. */
  /** No scenario has an end of its own: only the agent ends it. */
  readonly endless?: true;
  readonly endedByAgent: { readonly reason?: string } | null;
  /** Scenarios that links have opened, in the order in which they did. */
  readonly unlocked: readonly string[];
  /** Among these, the ones that the last scenario opened. */
  readonly justUnlocked: readonly string[];
  /** How each scenario ended, the latest time it was played. */
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

export type Directive = 'opening' | 'arrived' | 'redirect' | 'probe' | 'close';

export interface GivenVerdict {
  /** The verdict that has its effect; null when the evaluator gave none. */
  readonly effect: Verdict | null;
  /** What the evaluator said, where that is another one. */
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
  summary: '',
  summarised: 0,
  outcome: null,
  justUnlocked: [],
} as const satisfies Partial<NpcContext>;
