import type { Move, Simulated, Turn } from './situation.ts';
import type { SimulationReport } from './report.ts';
import { conversationName } from './simulate.ts';

/** The difference between two simulations, `a` and `b`. */
export interface Comparison {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  /** Whether the difference of the scores is larger than chance explains: their intervals do not overlap. */
  readonly isClear: boolean;
  readonly personas: readonly ComparedPersona[];
  /** Pairs of conversations with the same transitions up to their end. */
  readonly same: number;
  /** The other pairs. */
  readonly differences: readonly Difference[];
  /** Conversations that only one of the two has. */
  readonly unpaired: readonly string[];
}

export type ComparedRun = Pick<
  SimulationReport,
  'definition' | 'version' | 'agent' | 'persons' | 'seed' | 'runs' | 'score' | 'used'
>;

export interface ComparedPersona {
  readonly persona: string;
  readonly a: ComparedOutcomes;
  readonly b: ComparedOutcomes;
}

export interface ComparedOutcomes {
  readonly good: number;
  readonly conversations: number;
  readonly endings: Readonly<Record<string, number>>;
}

/** The point where two conversations of one persona and number diverge. */
export interface Difference {
  readonly conversation: string;
  /** From 0, the start. */
  readonly turn: number;
  /** The last state that both share. */
  readonly state: string;
  /** The side of each in that turn. */
  readonly a: Side;
  readonly b: Side;
  /** The earliest difference up to that turn: the reason why they diverge. */
  readonly cause: Cause;
}

export interface Side {
  /** The line of the person. */
  readonly person?: string;
  /** The first transition that the other does not take; absent when this conversation stays in its state, or ends. */
  readonly move?: Move;
  /** Whether it ends after this line. */
  readonly ends?: true;
  /** How the conversation ended. */
  readonly outcome: string;
}

/** `definition`: the same lines and answers lead to different states. */
export type Cause =
  | { readonly kind: 'definition'; readonly turn: number }
  | {
      readonly kind: 'person' | 'answer' | 'message' | 'failure';
      readonly turn: number;
      readonly a: string;
      readonly b: string;
    };

/** Pairs the conversations of two simulations by persona and number, and compares them. */
export function compareRuns(a: SimulationReport, b: SimulationReport): Comparison {
  const others = new Map(b.conversations.map((each) => [nameOf(each), each]));
  const names = new Set(a.conversations.map(nameOf));
  const pairs = a.conversations.flatMap((each) => {
    const other = others.get(nameOf(each));
    return other ? [[each, other] as const] : [];
  });
  const differences = pairs.flatMap(([one, other]) => differenceOf(one, other) ?? []);
  return {
    a: runOf(a),
    b: runOf(b),
    isClear: a.score.high < b.score.low || b.score.high < a.score.low,
    personas: comparedPersonas(a, b),
    same: pairs.length - differences.length,
    differences,
    unpaired: [
      ...[...names].filter((name) => !others.has(name)),
      ...[...others.keys()].filter((name) => !names.has(name)),
    ],
  };
}

function nameOf({ persona, number }: Simulated): string {
  return conversationName(persona, number);
}

function runOf(report: SimulationReport): ComparedRun {
  const { definition, version, agent, persons, seed, runs, score, used } = report;
  return { definition, version, agent, persons, seed, runs, score, ...(used ? { used } : {}) };
}

function comparedPersonas(a: SimulationReport, b: SimulationReport): readonly ComparedPersona[] {
  return a.personas.flatMap(({ persona, ...own }) => {
    const other = b.personas.find((each) => each.persona === persona);
    return other ? [{ persona, a: outcomesOf(own), b: outcomesOf(other) }] : [];
  });
}

function outcomesOf({ good, conversations, endings }: ComparedOutcomes): ComparedOutcomes {
  return { good, conversations, endings };
}

/** A step of the way through the states, or the end. Wordings of transitions may differ between versions of a definition. */
interface Step {
  readonly turn: number;
  readonly from: string;
  readonly to: string;
  readonly move?: Move;
}

/** The first transition that only one of two conversations takes; undefined when both go the same way to the same end. */
function differenceOf(one: Simulated, other: Simulated): Difference | undefined {
  const steps = [stepsOf(one), stepsOf(other)] as const;
  const [first, second] = steps;
  const at = first.findIndex(({ from, to }, index) => {
    const step = second[index];
    return step?.from !== from || step.to !== to;
  });
  if (at < 0) return undefined;
  // The end is the last step, so both have one here.
  const [a, b] = [first[at]!, second[at]!];
  const turn = Math.min(a.turn, b.turn);
  return {
    conversation: nameOf(one),
    turn,
    state: a.from,
    a: sideOf(one, a, turn),
    b: sideOf(other, b, turn),
    cause: causeOf(one.turns, other.turns, turn),
  };
}

function stepsOf({ turns, ending }: Simulated): readonly Step[] {
  const moves = turns.flatMap(({ moves: list }, turn) =>
    list.map((move) => ({ turn, from: move.from, to: move.to, move })),
  );
  const end = {
    turn: turns.length - 1,
    from: moves.at(-1)?.to ?? '',
    to: `end: ${ending.outcome}`,
  };
  return [...moves, end];
}

function sideOf({ turns, ending }: Simulated, step: Step, turn: number): Side {
  const { person } = turns[turn] ?? {};
  return {
    ...(person === undefined ? {} : { person }),
    // A transition of a later turn means that this conversation stays for now.
    ...(step.move && step.turn === turn ? { move: step.move } : {}),
    ...(!step.move && step.turn === turn ? { ends: true as const } : {}),
    outcome: ending.outcome,
  };
}

/** Finds the earliest turn in which anything differs: from there on, one difference follows from the other. */
function causeOf(one: readonly Turn[], other: readonly Turn[], until: number): Cause {
  for (let turn = 0; turn <= until; turn += 1) {
    const [a, b] = [one[turn], other[turn]];
    const differing = parts.find(([, textOf]) => textOf(a) !== textOf(b));
    // The messages of a turn come after its transitions: in the last turn they follow from the compared transitions.
    if (!differing || (turn === until && differing[0] === 'message')) continue;
    const [kind, textOf] = differing;
    return { kind, turn, a: textOf(a), b: textOf(b) };
  }
  return { kind: 'definition', turn: until };
}

/** The parts of a turn, in the order in which each affects the next. */
const parts: readonly (readonly [
  Exclude<Cause['kind'], 'definition'>,
  (turn: Turn | undefined) => string,
])[] = [
  ['person', (turn) => turn?.person ?? ''],
  ['failure', (turn) => turn?.failures.join('; ') ?? ''],
  ['answer', (turn) => (turn ? turn.decided.map(decidedText).join('; ') : '')],
  ['message', (turn) => turn?.agent.join('\n') ?? ''],
];

function decidedText({ port, answer }: Turn['decided'][number]): string {
  return `${port} ${JSON.stringify(answer)}`;
}
