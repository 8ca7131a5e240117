import type { Move, Simulated, Turn } from './simulated.ts';

/**
 * A conversation for people to read, which `dramaturg run --script` plays again: the lines of the person begin with ">".
 */
export function writeTranscript(
  { persona, number, ending, turns, collected }: Simulated,
  definition: string,
): string {
  const { outcome, state, because } = ending;
  const where = state === '' ? '' : ` in "${state}"`;
  const values = Object.entries(collected).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [
    `${definition}, ${persona}, conversation ${number}`,
    '',
    ...turns.flatMap((turn) => turnLines(turn, definition)),
    `Ended: ${outcome}${where}.${because === undefined ? '' : ` ${inOneLine(because)}`}`,
    ...(values.length > 0 ? ['Collected:', ...values.map((each) => `  ${inOneLine(each)}`)] : []),
    '',
  ].join('\n');
}

function turnLines(
  { person, happening, agent, moves, failures }: Turn,
  definition: string,
): string[] {
  return [
    ...(person === undefined ? [] : [`> ${inOneLine(person)}`]),
    ...(happening === undefined ? [] : [inOneLine(happening)]),
    ...moves.map((move) => `  [${moveText(move, definition)}]`),
    ...failures.map((failure) => `  [${inOneLine(failure)}]`),
    ...agent.map((text) => `agent: ${text.trim().replaceAll(/\s*\n\s*/g, '\n       ')}`),
    '',
  ];
}

function moveText({ to, by, line, column }: Move, definition: string): string {
  const place = line === undefined ? '' : `, ${definition}:${line}:${column}`;
  return `to "${to}"${by === undefined ? '' : ` by ${by}`}${place}`;
}

/** A line of a script is one message. */
function inOneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}
