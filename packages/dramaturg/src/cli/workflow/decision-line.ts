import { isRecord } from '@dramaturg/compiler';
import { type Decision, type Question, readDecision } from '@dramaturg/compiler/machine';
import { visible } from '@dramaturg/compiler/text';
import { Command, CommanderError } from 'commander';
import { decisionGiven, type DecisionOptions, withDecisionOptions } from '../decision.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Reads a decision that a person has typed: an option, then the flags of `decide`, `approve --by ana --comment "Fine"`; or
 * the decision as JSON.
 *
 * @throws UsageError when the line is neither
 */
export function readDecisionLine(line: string, question: Question): Decision {
  const text = line.trim();
  if (text.startsWith('{')) return requireDecision(jsonIn(text));
  const isOption = question.options.some(({ id }) => id === text);
  if (isOption) return { decision: text };
  const words = wordsIn(text);
  const flags = words.findIndex((word) => word.startsWith('--'));
  const option = (flags < 0 ? words : words.slice(0, flags)).join(' ');
  if (option === '')
    throw new UsageError('The line has no option.', `Begin with one: ${optionsIn(question)}.`);
  const options = flags < 0 ? {} : optionsOf(words.slice(flags));
  return requireDecision(decisionGiven(option, options, question));
}

function requireDecision(given: unknown): Decision {
  const decision = readDecision(given);
  if (typeof decision !== 'string') return decision;
  throw new UsageError(
    visible(decision),
    'Write it like this: {"decision": "approve", "by": "ana"}',
  );
}

function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError(
    'The line begins like JSON and is not.',
    'Write it like this: {"decision": "approve", "by": "ana"}',
  );
}

function optionsIn({ options }: Question): string {
  return options.map(({ id }) => visible(id)).join(', ');
}

/** Parses the flags as `dramaturg decide` does. */
function optionsOf(words: readonly string[]): DecisionOptions {
  const flags = withDecisionOptions(new Command('decide'))
    .helpOption(false)
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  try {
    flags.parse([...words], { from: 'user' });
    const [more] = flags.args;
    if (more === undefined) return flags.opts();
    throw new UsageError(
      `"${visible(more)}" does not belong to a flag.`,
      'Put a text of several words in quotes: --comment "Fine with me".',
    );
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const message = visible(error.message.replace(/^error: /, ''));
    throw new UsageError(
      `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
      'The flags are --by, --role, --comment, --edit, --items and --data.',
    );
  }
}

/** Splits a line as a shell does, with quotes around parts of words. */
function wordsIn(line: string): string[] {
  const words: string[] = [];
  const pattern = /\s*((?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+)/gy;
  let end = 0;
  for (const [whole, word] of line.matchAll(pattern)) {
    end += whole.length;
    words.push(
      word!.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
        double === undefined ? (single ?? '') : double.replace(/\\(["\\])/g, '$1'),
      ),
    );
  }
  if (line.slice(end).trim() === '') return words;
  throw new UsageError(
    'A quote in the line is not closed.',
    'Close it, or write the other kind of quotes around it: --comment "It\'s fine".',
  );
}
