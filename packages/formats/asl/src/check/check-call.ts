import type { Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { withArticle } from '@dramaturg/compiler/text';
import type { Argument, Call } from '../data/intrinsic/call.ts';
import type { Intrinsic } from '../data/intrinsic/function.ts';
import { functionsOf } from '../data/intrinsic/functions.ts';
import { formatFault } from '../data/intrinsic/functions/texts.ts';
import { parseCall } from '../data/intrinsic/parse.ts';
import { isFault } from '../data/path/path.ts';
import type { Dialect } from '../definition/index.ts';
import { badIntrinsic, failingIntrinsic, unknownFunction } from '../diagnostics/expressions.ts';
import { unknownStep } from './syntax/path.ts';

/**
 * Reports a call of a function that the dialect does not have, or with arguments that it does not take.
 * Spec: states-language.net/spec.html#intrinsic-functions, and the reference of Agent State Language
 *
 * @param wanted the type that the field of the call needs
 */
export function checkCall(
  text: string,
  dialect: Dialect,
  at: Path,
  report: Report,
  wanted: 'any' | 'text' = 'any',
): void {
  const call = parseCall(text);
  if (isFault(call)) {
    report(badIntrinsic(text, call.fault), at);
    return;
  }
  const known = functionsOf(dialect);
  const given = Object.hasOwn(known, call.name) ? known[call.name] : undefined;
  if (wanted === 'text' && given && given.gives !== 'text') {
    report(badIntrinsic(text, `${call.name} does not return text`), at);
  }
  for (const one of callsIn(call)) checkArguments(one, text, dialect, at, report);
}

/** A call and the calls in its arguments, outermost first. */
function callsIn(call: Call): readonly Call[] {
  const calls = [call];
  for (const { args } of calls) {
    for (const argument of args) if (argument.kind === 'call') calls.push(argument.call);
  }
  return calls;
}

function checkArguments(
  call: Call,
  text: string,
  dialect: Dialect,
  at: Path,
  report: Report,
): void {
  const known = functionsOf(dialect);
  const signature = Object.hasOwn(known, call.name) ? known[call.name] : undefined;
  const complain = (because: string) => report(badIntrinsic(text, because), at);
  if (!signature) {
    report(unknownFunction(call.name, Object.keys(known)), at);
    return;
  }
  const { length } = call.args;
  if (length < signature.least || length > signature.most) {
    const because = `${call.name} takes ${takes(signature)} and has ${length}`;
    // Tutorials add more than two numbers, but their own engine refuses that at run time.
    if (dialect === 'agent' && length > signature.most) report(failingIntrinsic(because), at);
    else complain(because);
  }
  const [template, ...values] = call.args;
  if (dialect === 'amazon' && call.name === 'States.Format' && template?.kind === 'text') {
    const fault = formatFault(template.written, values.length);
    if (fault !== undefined) report(failingIntrinsic(`States.Format: ${fault}`), at);
  }
  call.args.forEach((argument, index) => {
    const fault = argumentFault(
      argument,
      signature.takes[index] ?? signature.takes.at(-1),
      dialect,
    );
    if (fault !== undefined) complain(`argument ${index + 1} of ${call.name} ${fault}`);
  });
}

function takes({ least, most }: Intrinsic): string {
  const times = (count: number) => `${count} argument${count === 1 ? '' : 's'}`;
  if (most === Infinity) return `${times(least)} or more`;
  return least === most ? times(least) : `${least} to ${times(most)}`;
}

function argumentFault(
  argument: Argument,
  wanted: Intrinsic['takes'][number] = 'any',
  dialect: Dialect,
): string | undefined {
  if (argument.kind === 'path') {
    const fault = dialect === 'amazon' ? undefined : unknownStep(argument.path);
    return fault === undefined ? undefined : `is not a path (${fault})`;
  }
  if (argument.kind === 'call' || wanted === 'any') return undefined;
  return argument.kind === wanted ? undefined : `must be ${withArticle(wanted)}`;
}
