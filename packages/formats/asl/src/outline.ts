import type { Path } from '@dramaturg/compiler';
import type { Outline } from '@dramaturg/compiler/chart';

type Fields = Readonly<Record<string, unknown>>;

const errors = ({ ErrorEquals: names }: Fields) =>
  `for ${Array.isArray(names) ? names.join(', ') : 'no error'}`;

/** The parts of a workflow, at any depth: also in branches and in the machines of Maps. */
export const outline: Outline = {
  parts: [
    { list: 'States', noun: 'state', id: 'name', order: 'free' },
    {
      list: 'Branches',
      noun: 'branch',
      name: (_, index) => String(index + 1),
      order: 'matters',
    },
    {
      list: 'Choices',
      noun: 'choice rule',
      name: ({ Next: target }) => `to ${String(target)}`,
      order: 'matters',
    },
    { list: 'Retry', noun: 'retrier', name: errors, order: 'matters' },
    { list: 'Catch', noun: 'catcher', name: errors, order: 'matters' },
    {
      list: 'Fallbacks',
      noun: 'fallback',
      name: (_, index) => String(index + 1),
      order: 'matters',
    },
    {
      list: 'Escalation',
      noun: 'escalation',
      name: (_, index) => String(index + 1),
      order: 'matters',
    },
    {
      list: 'Notifications',
      noun: 'notification',
      name: (_, index) => String(index + 1),
      order: 'matters',
    },
  ],
  references: { StartAt: 'state', Next: 'state', Default: 'state' },
  whole: ['condition'],
  // Other spellings of fields: a state that was read has one spelling.
  derived: [
    'at',
    'Iterator',
    'ItemsPath',
    'TimeoutSecondsPath',
    'HeartbeatSecondsPath',
    'SecondsPath',
    'TimestampPath',
    'MaxConcurrencyPath',
    'ToleratedFailureCountPath',
    'ToleratedFailurePercentagePath',
    'ErrorPath',
    'CausePath',
    'TopicPath',
    'Topic.$',
    'ProcessorConfig',
    'Communication',
    'Metadata',
  ],
  authored: 'authored',
};

/** Fields with strings that the interpreter compares. Other strings are names of agents, or data that agents receive. */
const comparedFields = ['Choices', 'ErrorEquals'];

/**
 * Whether a string with a placeholder decides what a run does. `Resource` does not: agents are found by the string as
 * written.
 */
export function placeholderMatters(path: Path): boolean {
  return path.some((step) => comparedFields.includes(String(step)));
}
