import { problemsOf } from '@dramaturg/compiler/format';
import { counted, didYouMean, quotedChain, quotedList } from '@dramaturg/compiler/text';

/** The kind of the last value that a path reaches before a step that leads nowhere. */
export type DeadEnd =
  | { readonly kind: 'object'; readonly fields: readonly string[] }
  | { readonly kind: 'list'; readonly length?: number }
  | { readonly kind: 'scalar' };

/** The state and field that wrote the data, and the states on a way from there. */
export interface Origin {
  readonly state: string;
  /** The field that wrote the data. */
  readonly field: string;
  /** How the path could have a value; undefined when there is no simple way. */
  readonly remedy: keyof typeof remedies | undefined;
  readonly way: () => readonly string[];
}

/** Ways to keep data, or to read what is there. */
const remedies = {
  resultPath: (state: string) => `, or give "${state}" a "ResultPath" that keeps its input`,
  catcher: (state: string) =>
    `, or give the catcher of "${state}" a "ResultPath" that keeps its input`,
  catcherOutput: (state: string) =>
    `, or keep "$states.input" in the "Output" of the catcher of "${state}"`,
  cause: () =>
    '. "Cause" is a text: read it as JSON with "States.StringToJson", or "$parse" in JSONata',
} as const;

const { error, warning } = problemsOf('asl');

export const unsetPath = warning(
  'unset-path',
  (path: string, found: string, end: DeadEnd, origin: Origin | undefined) => ({
    message: `No state before can have set "${path}": here ${wordsFor(found, end)}.`,
    hint: () => {
      if (!origin) return 'Read what is there, or set the path in a state before.';
      const { state, remedy } = origin;
      const more = remedy ? remedies[remedy](state) : '';
      return `On the way ${quotedChain(origin.way())}, ${causeOf(origin)}. Read what is there${more}.`;
    },
  }),
);

export const unsetVariable = warning(
  'unset-variable',
  (
    name: string,
    known: readonly string[],
    elsewhere: string | undefined,
    way: () => readonly string[],
  ) => ({
    message: `No state assigns "$${name}" on a way that leads here.`,
    hint: () => {
      const near = didYouMean(name, known);
      if (near !== undefined) return near;
      const place = `the way ${quotedChain(way())}`;
      return elsewhere === undefined
        ? `Set it in "Assign" of a state on ${place}.`
        : `"${elsewhere}" assigns it, but is not on ${place}, or its variables end with its branch or item.`;
    },
  }),
);

export const notAlwaysSet = warning('not-always-set', (path: string, way: readonly string[]) => ({
  message: `"${path}" has no value on the way ${quotedChain(way)}.`,
  hint: 'Other ways may set it. Set it on this way too, or ask with "IsPresent" in a Choice first.',
}));

export const unsetContext = warning(
  'unset-context',
  (path: string, found: string, name: string, known: readonly string[]) => ({
    message: `The context object has no "${path}" here: ${wordsFor(found, { kind: 'object', fields: known })}.`,
    hint: () => contextHints[name] ?? didYouMean(name, known),
  }),
);

const contextHints: Readonly<Record<string, string>> = {
  Map: 'Only the "ItemSelector" of a Map and the states of its item processor have an item.',
  Task: 'Only a Task that waits for its token has one: end its "Resource" with ".waitForTaskToken".',
};

function wordsFor(found: string, end: DeadEnd): string {
  switch (end.kind) {
    case 'object':
      return end.fields.length === 0
        ? `"${found}" is an empty object`
        : `"${found}" has only ${quotedList(end.fields)}`;
    case 'list':
      return end.length === undefined
        ? `"${found}" is a list`
        : `"${found}" is a list of ${counted(end.length, 'element')}`;
    case 'scalar':
      return `"${found}" is neither an object nor a list`;
  }
}

function causeOf({ state, field }: Origin): string {
  switch (field) {
    case 'Catch':
      return `it is the error that "${state}" catches`;
    case 'Branches':
      return `it is the list of the results of "${state}", one of each branch`;
    case 'ItemProcessor':
      return `it is the list of the results of "${state}", one of each item`;
    case 'Agents':
      return `it is the result of the debate "${state}"`;
    case 'Name':
      return `it is the save point "${state}"`;
    case 'InputPath':
    case 'OutputPath':
      return `"${field}": null of "${state}" leaves an empty object`;
    default:
      return `it is what "${field}" of "${state}" makes`;
  }
}

export const enginesNotLoaded = error('engines-not-loaded', () => ({
  message:
    'Nothing can check or run this: the page has not loaded what reads JSONata, regular expressions and JSON Schemas.',
  hint: 'Call "await loadWorkflowEngines()" of dramaturg/browser before "compile" and "check".',
}));

export const noProgress = warning('no-progress', (states: readonly string[], example: string) => ({
  message: `Data can go round in ${quotedList(states)} without an end: no state of this loop changes them or waits for an answer, so every round decides the same.`,
  hint: `For example, the input ${example.slice(0, 200)} does. Change in the loop what is compared, or lead out of it.`,
}));
