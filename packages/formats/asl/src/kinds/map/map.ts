import type { Json } from '@dramaturg/compiler';
import { problemsOf } from '@dramaturg/compiler/format';
import { authoredPart, partOf } from '../../authored.ts';
import {
  onwards,
  recoveries,
  sourceValues,
  type StateWays,
  type Visit,
} from '../../check/flow/language-flow.ts';
import {
  elementsIn,
  listOfEach,
  objectOf,
  scalarFrom,
  sourceAt,
  union,
  type ValueSet,
} from '../../check/flow/value-set.ts';
import { readIntegration } from '../../check/integrations.ts';
import { atMostOne, exactlyOne, type StateRule } from '../../check/rule.ts';
import type { ValueSource } from '../../definition/state.ts';
import { missingField } from '../../diagnostics/fields.ts';
import { mockedWork, type StateTester, StateTestError } from '../../test-state/tester.ts';
import type { Kind } from '../kind.ts';
import { badResource } from '../task/problems.ts';
import { mapBehaviour, mapNode } from './behaviour.ts';
import { mapDefinition, type MapState, readMap } from './definition.ts';
import { compileMap, type MapProgram } from './program.ts';

const problems = problemsOf('asl');

const needsDistributed = problems.error('needs-distributed', (field: string) => ({
  message: `"${field}" is a field of distributed Maps. This Map is inline.`,
  hint: 'Add "ProcessorConfig": { "Mode": "DISTRIBUTED", "ExecutionType": "STANDARD" } to "ItemProcessor".',
}));

const executionType = problems.error('execution-type', (isMissing: boolean) => ({
  message: isMissing
    ? 'This distributed Map has no "ExecutionType".'
    : 'This inline Map has an "ExecutionType", which only distributed Maps have.',
  hint: isMissing
    ? 'Add "ExecutionType": "STANDARD" or "EXPRESS".'
    : 'Remove it, or set "Mode": "DISTRIBUTED".',
}));

const badLabel = problems.error('bad-label', (because: string) => ({
  message: `This label is not valid: ${because}.`,
  hint: 'Use letters, digits, "-" and "_", at most 40 characters.',
}));

const headersMissing = problems.error('headers-missing', () => ({
  message:
    'The table has no headers: "CSVHeaderLocation" is "GIVEN", but "CSVHeaders" is empty or missing.',
  hint: 'Add "CSVHeaders": ["first", "second"], or set "CSVHeaderLocation": "FIRST_ROW".',
}));

/** Reports Maps without a machine for their items. Spec: Agent 2 §Map State, states-language.net/spec.html#map-state */
const mapsWithoutProcessor: StateRule<MapState> = (map, { report }) => {
  exactlyOne('A Map state', authoredPart(map), ['ItemProcessor', 'Iterator'], report);
};

/** Reports Maps of Agent State Language that do not say where their items are. Spec: Agent 2 §Map State */
const mapsWithoutItems: StateRule<MapState> = ({ authored, at }, { definition, report }) => {
  if (definition.dialect === 'amazon') return;
  const hasItems = ['ItemsPath', 'Items', 'ItemReader'].some((field) =>
    Object.hasOwn(authored, field),
  );
  const about = [[...at, 'ItemsPath']];
  if (!hasItems) report(missingField('A Map state', ['ItemsPath']), at, { about, follows: about });
};

/** Reports settings given in two fields. Spec: states-language.net/spec.html#map-state */
const repeatedSettings: StateRule<MapState> = (map, { report }) => {
  const part = authoredPart(map);
  atMostOne(part, ['ItemSelector', 'Parameters'], report);
  for (const field of ['MaxConcurrency', 'ToleratedFailureCount', 'ToleratedFailurePercentage']) {
    atMostOne(part, [field, `${field}Path`], report);
  }
  const batcher = partOf(part, 'ItemBatcher');
  for (const field of ['MaxItemsPerBatch', 'MaxInputBytesPerBatch']) {
    if (batcher) atMostOne(batcher, [field, `${field}Path`], report);
  }
  const reader = partOf(part, 'ItemReader');
  const config = reader && partOf(reader, 'ReaderConfig');
  if (config) atMostOne(config, ['MaxItems', 'MaxItemsPath'], report);
};

/** Reports a distributed Map without an execution type, and an inline Map with one. Spec: AWS "Distributed mode" */
const wrongExecutionTypes: StateRule<MapState> = (map, { report }) => {
  const processor = partOf(authoredPart(map), 'ItemProcessor');
  const config = processor && partOf(processor, 'ProcessorConfig');
  if (!config) return;
  const isGiven = Object.hasOwn(config.value, 'ExecutionType');
  const follows = ['Mode', 'ExecutionType'].map((field) => [...config.at, field]);
  if (map.Mode === 'DISTRIBUTED' && !isGiven) report(executionType(true), config.at, { follows });
  if (map.Mode === 'INLINE' && isGiven) {
    report(executionType(false), [...config.at, 'ExecutionType'], { at: 'key', follows });
  }
};

const distributedFields = ['ItemReader', 'ItemBatcher', 'ResultWriter', 'Label'];

/** Reports fields of distributed Maps in inline ones. Spec: AWS "Distributed mode" */
const distributedFieldsInline: StateRule<MapState> = ({ Mode: mode, authored, at }, { report }) => {
  if (mode === 'DISTRIBUTED') return;
  for (const field of distributedFields) {
    if (!Object.hasOwn(authored, field)) continue;
    report(needsDistributed(field), [...at, field], {
      at: 'key',
      follows: [[...at, 'ItemProcessor', 'ProcessorConfig', 'Mode']],
      topic: JSON.stringify(at),
    });
  }
};

/** Reports batches without a limit. Spec: states-language.net/spec.html#map-state-item-batcher */
const batchesWithoutLimit: StateRule<MapState> = (map, { report }) => {
  const limits = [
    'MaxItemsPerBatch',
    'MaxInputBytesPerBatch',
    'MaxItemsPerBatchPath',
    'MaxInputBytesPerBatchPath',
  ];
  const batcher = partOf(authoredPart(map), 'ItemBatcher');
  if (!batcher || limits.some((field) => Object.hasOwn(batcher.value, field))) return;
  report(missingField('An item batcher', limits.slice(0, 2)), batcher.at, {
    follows: limits.map((limit) => [...batcher.at, limit]),
  });
};

/** Reports tables without headers. Spec: AWS "ItemReader" */
const tablesWithoutHeaders: StateRule<MapState> = (map, { report }) => {
  const reader = partOf(authoredPart(map), 'ItemReader');
  const config = reader && partOf(reader, 'ReaderConfig');
  if (config?.value['InputType'] !== 'CSV') return;
  const { CSVHeaderLocation: location, CSVHeaders: headers } = config.value;
  if (location === undefined) {
    const about = [[...config.at, 'CSVHeaderLocation']];
    const missing = missingField('The reader of a CSV table', ['CSVHeaderLocation']);
    report(missing, config.at, { about, follows: about });
  } else if (location === 'GIVEN' && (!Array.isArray(headers) || headers.length === 0)) {
    report(headersMissing(), config.at, { follows: [[...config.at, 'CSVHeaders']] });
  }
};

/** Reports result writers that neither write nor transform anything. Spec: AWS "ResultWriter" */
const writersWithoutWork: StateRule<MapState> = (map, { report }) => {
  const writer = partOf(authoredPart(map), 'ResultWriter');
  const fields = ['Resource', 'WriterConfig'];
  if (!writer || fields.some((field) => Object.hasOwn(writer.value, field))) return;
  report(missingField('A result writer', fields), writer.at, {
    follows: fields.map((field) => [...writer.at, field]),
  });
};

const storageActions = {
  ItemReader: ['getObject', 'listObjectsV2'],
  ResultWriter: ['putObject'],
} as const;

/** Reports readers and writers that do not use the actions of S3 that AWS has for them. Spec: AWS "ItemReader", "ResultWriter" */
const wrongStorage: StateRule<MapState> = (map, { report }) => {
  for (const [field, actions] of Object.entries(storageActions)) {
    const part = partOf(authoredPart(map), field);
    const resource = part?.value['Resource'];
    const found = typeof resource === 'string' ? readIntegration(resource) : undefined;
    if (!part || !found) continue;
    const isKnown =
      !('fault' in found) &&
      !found.isSdk &&
      found.service === 's3' &&
      found.pattern === undefined &&
      actions.some((action) => action === found.action);
    if (isKnown) continue;
    const names = actions.map((action) => `"arn:aws:states:::s3:${action}"`).join(' or ');
    report(badResource(`"${field}" takes ${names}`), [...part.at, 'Resource']);
  }
};

const labelLengthMax = 40;

/** Reports labels that cannot be part of an ARN. Spec: AWS "Distributed mode" */
const badLabels: StateRule<MapState> = ({ Label: label, at }, { report }) => {
  const fault = label === undefined ? undefined : labelFault(label);
  if (fault !== undefined) report(badLabel(fault), [...at, 'Label']);
};

function labelFault(label: string): string | undefined {
  if (label === '') return 'it is empty';
  if (label.length > labelLengthMax) return `it has ${label.length} characters`;
  const odd = /[\s\p{Cc}?*<>{}[\]:;,\\|^~$#%&`"]/u.exec(label)?.[0];
  return odd === undefined ? undefined : `it has the character ${JSON.stringify(odd)}`;
}

const mapWays: StateWays<MapState> = {
  enter(visit) {
    const { state, sight, flow } = visit;
    const selected = flow.select();
    readNumbers(visit, selected);
    readArguments(visit, selected, 'ItemReader', state.ItemReader?.Arguments);
    readArguments(visit, selected, 'ResultWriter', state.ResultWriter?.Arguments);
    const data = itemInput(visit, selected);
    const machine = state.ItemProcessor;
    return {
      exits: recoveries(visit),
      machines: machine && data ? [{ machine, passed: { data, variables: sight.variables } }] : [],
    };
  },
  leave({ state, sight, flow }, [output]) {
    const source = sourceAt(sight.state, 'ItemProcessor');
    // An item that may fail has the result null.
    const each = union(output, scalarFrom([source]));
    const result = state.ResultWriter ? 'any' : listOfEach(each, [source]);
    return { exits: onwards(state, flow.finish(result)) };
  },
};

function readNumbers({ state, sight }: Visit<MapState>, selected: ValueSet): void {
  const numbers: readonly (ValueSource | undefined)[] = [
    state.MaxConcurrency,
    state.ToleratedFailureCount,
    state.ToleratedFailurePercentage,
    state.ItemReader?.MaxItems,
    state.ItemBatcher?.MaxItemsPerBatch,
    state.ItemBatcher?.MaxInputBytesPerBatch,
  ];
  for (const number of numbers) sourceValues(number, selected, sight);
}

function readArguments(
  { state, sight, flow }: Visit<MapState>,
  selected: ValueSet,
  block: string,
  template: Json | undefined,
): void {
  if (template === undefined) return;
  const field = state.QueryLanguage === 'JSONata' ? 'Arguments' : 'Parameters';
  flow.template(template, selected, sourceAt(sight.state, block, [...state.at, block, field]));
}

/** The input of an item's machine; undefined when there are no items. */
function itemInput(visit: Visit<MapState>, selected: ValueSet): ValueSet | undefined {
  const { state, sight, flow } = visit;
  const element = elementOf(visit, selected);
  if (element === undefined) return undefined;
  const { ItemSelector: selector, ItemBatcher: batcher } = state;
  const field = Object.hasOwn(state.authored, 'ItemSelector') ? 'ItemSelector' : 'Parameters';
  const source = sourceAt(sight.state, field);
  const input =
    selector === undefined
      ? element
      : flow.template(selector, selected, source, sight.withItem(element));
  if (!batcher) return input;
  const batch = sourceAt(sight.state, 'ItemBatcher');
  const fields = new Map([['Items', listOfEach(input, [batch])]]);
  if (batcher.BatchInput !== undefined) {
    const place = sourceAt(sight.state, 'BatchInput', [...batch.at, 'BatchInput']);
    fields.set('BatchInput', flow.template(batcher.BatchInput, selected, place));
  }
  return objectOf(fields, [batch]);
}

/**
 * The values that an item may have. Each field of an object is an item with its key and value. AWS "Map state",
 * distributed mode
 */
function elementOf({ state, sight }: Visit<MapState>, selected: ValueSet): ValueSet | undefined {
  if (state.ItemReader) return 'any';
  const items = state.Items ? sourceValues(state.Items, selected, sight) : selected;
  if (items === 'any' || (items.object && state.Mode === 'DISTRIBUTED')) return 'any';
  return elementsIn(items);
}

const testMap: StateTester<MapProgram> = (program, run, { mock, configuration = {} }) => {
  const { mapItemReaderData: data, mapIterationFailureCount: failures = 0 } = configuration;
  const selected = program.flow.select(run);
  const read = data === undefined ? undefined : program.reader?.itemsOf(run, selected, data);
  const { inputs, tolerated } = program.mapWork(run, selected, read && [read]);
  if (failures > inputs.length) {
    throw new StateTestError(
      'test-state/wrong-configuration',
      `${failures} iterations cannot have failed: the Map has ${inputs.length}.`,
      `"mapIterationFailureCount" is ${inputs.length} at most with this input.`,
    );
  }
  if (!mock?.errorOutput && failures > (tolerated ?? 0)) {
    const cause = 'The specified tolerated failure threshold was exceeded';
    return { error: 'States.ExceedToleratedFailureThreshold', cause };
  }
  return mockedWork(program, run, mock);
};

export const mapKind: Kind<MapState, MapProgram> = {
  definition: mapDefinition,
  read: readMap,
  rules: [
    mapsWithoutProcessor,
    mapsWithoutItems,
    repeatedSettings,
    wrongExecutionTypes,
    distributedFieldsInline,
    batchesWithoutLimit,
    tablesWithoutHeaders,
    writersWithoutWork,
    wrongStorage,
    badLabels,
  ],
  problems: [needsDistributed, executionType, badLabel, headersMissing],
  ways: mapWays,
  node: mapNode,
  compile: compileMap,
  behaviour: mapBehaviour,
  test: testMap,
};
