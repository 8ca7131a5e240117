import type { DrawnNode } from '@dramaturg/compiler/chart';
import type { IconName } from './icons.ts';
import type { Shape } from './shapes.ts';

/** Families of states, each with a colour of its own. */
export type Tint = 'talk' | 'choose' | 'think' | 'recall' | 'call' | 'wait' | 'plain' | 'bad';

/** The look of a kind of state. Shape and icon alone distinguish the kinds, so a chart can be printed in grey. */
export interface Look {
  readonly shape: Shape;
  readonly icon?: IconName;
  readonly tint: Tint;
  /** The person never sees the state: its border is dashed. */
  readonly isHidden?: true;
  /** Its tasks are done in order. */
  readonly isOrdered?: true;
  /** The meaning of the kind, in a legend. */
  readonly meaning: string;
}

/** The looks of states by their format's word for them, in lower case (`sort` of a drawn node). */
const looks: Readonly<Record<string, Look>> = {
  // Context graphs
  action: { shape: 'card', icon: 'speech', tint: 'talk', meaning: 'speaks with the person' },
  decision: {
    shape: 'hexagon',
    icon: 'fork',
    tint: 'choose',
    isHidden: true,
    meaning: 'chooses an exit, unseen by the person',
  },
  reflection: {
    shape: 'octagon',
    icon: 'bulb',
    tint: 'think',
    isHidden: true,
    meaning: 'thinks, unseen by the person',
  },
  recall: {
    shape: 'drum',
    icon: 'memory',
    tint: 'recall',
    isHidden: true,
    meaning: 'searches memory, unseen by the person',
  },
  annotation: {
    shape: 'note',
    icon: 'pencil',
    tint: 'plain',
    isHidden: true,
    meaning: 'adds a note, unseen by the person',
  },
  'tool-call': {
    shape: 'bars',
    icon: 'wrench',
    tint: 'call',
    isHidden: true,
    meaning: 'calls a tool, unseen by the person',
  },
  'side-effect': {
    shape: 'arrow',
    icon: 'bolt',
    tint: 'call',
    isHidden: true,
    meaning: 'has an effect outside, unseen by the person',
  },
  // Plans
  strict: {
    shape: 'card',
    icon: 'numbers',
    tint: 'talk',
    isOrdered: true,
    meaning: 'its tasks are done in order',
  },
  loose: { shape: 'card', icon: 'bullets', tint: 'talk', meaning: 'its tasks in any order' },
  aside: { shape: 'slanted', icon: 'person', tint: 'talk', meaning: 'a person takes over' },
  goal: { shape: 'card', icon: 'target', tint: 'choose', meaning: 'goes on until the goal is met' },
  // Agent State Language
  task: { shape: 'bars', icon: 'gear', tint: 'call', meaning: 'calls an agent or a service' },
  choice: { shape: 'hexagon', icon: 'fork', tint: 'choose', meaning: 'chooses the next state' },
  wait: { shape: 'pill', icon: 'clock', tint: 'wait', meaning: 'waits for a time' },
  pass: { shape: 'note', icon: 'pencil', tint: 'plain', meaning: 'changes the data' },
  map: { shape: 'stack', icon: 'stack', tint: 'call', meaning: 'runs once for each item' },
  parallel: { shape: 'card', icon: 'lanes', tint: 'call', meaning: 'runs its branches together' },
  succeed: { shape: 'end', icon: 'check', tint: 'plain', meaning: 'ends with success' },
  fail: { shape: 'end', icon: 'cross', tint: 'bad', meaning: 'ends with a failure' },
  approval: { shape: 'slanted', icon: 'person', tint: 'talk', meaning: 'a person decides' },
  debate: { shape: 'card', icon: 'debate', tint: 'think', meaning: 'agents discuss' },
  checkpoint: { shape: 'note', icon: 'flag', tint: 'recall', meaning: 'stores a save point' },
  include: { shape: 'card', icon: 'nested', tint: 'plain', meaning: 'contains a definition' },
  workflow: { shape: 'bars', icon: 'nested', tint: 'call', meaning: 'runs another workflow' },
  // NPC scenarios
  talk: { shape: 'card', icon: 'speech', tint: 'talk', meaning: 'talks with the player' },
  'follow-up': { shape: 'card', icon: 'question', tint: 'think', meaning: 'asks once more' },
  outcome: { shape: 'end', icon: 'flag', tint: 'plain', meaning: 'an outcome of the scenario' },
  // Lifecycles
  initial: { shape: 'card', icon: 'play', tint: 'plain', meaning: 'where an instance begins' },
  normal: { shape: 'card', icon: 'dot', tint: 'plain', meaning: 'an ordinary state' },
  waiting: { shape: 'pill', icon: 'clock', tint: 'wait', meaning: 'waits for an event' },
  working: { shape: 'bars', icon: 'gear', tint: 'call', meaning: 'works' },
  suspended: { shape: 'octagon', icon: 'pause', tint: 'wait', meaning: 'is suspended' },
  terminal: { shape: 'end', icon: 'flag', tint: 'plain', meaning: 'the instance ends' },
};

const plain: Look = { shape: 'card', tint: 'plain', meaning: 'a state' };
const final: Look = { shape: 'end', icon: 'flag', tint: 'plain', meaning: 'the end' };
const anywhere: Look = {
  shape: 'card',
  icon: 'asterisk',
  tint: 'plain',
  isHidden: true,
  meaning: 'an arrow that leaves from several states',
};

const entry: Look = {
  shape: 'pill',
  icon: 'play',
  tint: 'plain',
  meaning: 'another beginning',
};

const group: Look = {
  shape: 'card',
  tint: 'plain',
  isHidden: true,
  meaning: 'states that are passed through together',
};

/** Names of end states that are failures. */
const failing = /fail|error|abort|timed.?out/iu;

/** The look of a state. A word that no format of ours uses gives a plain card with the word on it. */
export function lookOf({ kind, name, sort = '' }: Pick<DrawnNode, 'kind' | 'name' | 'sort'>): Look {
  if (kind === 'anywhere') return anywhere;
  if (kind === 'group') return group;
  if (kind === 'entry') return entry;
  const word = sort.toLowerCase();
  const look = Object.hasOwn(looks, word) ? looks[word]! : kind === 'final' ? final : plain;
  const ending: Look = kind === 'final' && look.shape !== 'end' ? { ...look, shape: 'end' } : look;
  return ending.shape === 'end' && failing.test(name)
    ? { ...ending, icon: 'cross', tint: 'bad' }
    : ending;
}
