import { authoredPart, partOf } from '../../authored.ts';
import { readIntegration } from '../../check/integrations.ts';
import { atMostOne, exactlyOne, type StateRule } from '../../check/rule.ts';
import type { MapState } from '../../definition/index.ts';
import { missingField } from '../../diagnostics/fields.ts';
import { badResource } from '../task/problems.ts';
import { badLabel, executionType, headersMissing, needsDistributed } from './problems.ts';

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
    const problem = missingField('The reader of a CSV table', ['CSVHeaderLocation']);
    report(problem, config.at, { about, follows: about });
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

export const mapRules: readonly StateRule<MapState>[] = [
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
];
