import type { MapState } from '../definition/index.ts';
import { missingField } from '../diagnostics/fields.ts';
import { badLabel, executionType, headersMissing, needsDistributed } from '../diagnostics/map.ts';
import { authoredPart, partOf } from '../authored.ts';
import { atMostOne, exactlyOne, type StateRule } from './rule.ts';

/** A Map has a machine for its items. Spec: Agent 2 §Map State, states-language.net/spec.html#map-state */
const mapsHaveAProcessor: StateRule<MapState> = (map, { report }) => {
  exactlyOne('A Map state', authoredPart(map), ['ItemProcessor', 'Iterator'], report);
};

/** In agents' workflows, a Map says where its items are. Spec: Agent 2 §Map State */
const mapsHaveItems: StateRule<MapState> = ({ authored, at }, { definition, report }) => {
  if (definition.dialect === 'amazon') return;
  const isSaid = ['ItemsPath', 'Items', 'ItemReader'].some((field) =>
    Object.hasOwn(authored, field),
  );
  const about = [[...at, 'ItemsPath']];
  if (!isSaid) report(missingField('A Map state', ['ItemsPath']), at, { about, follows: about });
};

/** No setting of a Map is given twice. Spec: states-language.net/spec.html#map-state */
const mapFieldsAreGivenOnce: StateRule<MapState> = (map, { report }) => {
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

/** A distributed Map says what kind of workflow runs for an item, an inline one does not. Spec: AWS "Distributed mode" */
const executionTypesFit: StateRule<MapState> = (map, { report }) => {
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

/** Only a distributed Map reads and writes elsewhere and takes items together. Spec: AWS "Distributed mode" */
const distributedFieldsFit: StateRule<MapState> = ({ Mode: mode, authored, at }, { report }) => {
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

/** A batch has a limit. Spec: states-language.net/spec.html#map-state-item-batcher */
const batchesHaveALimit: StateRule<MapState> = (map, { report }) => {
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

/** A table has headers. Spec: AWS "ItemReader" */
const tablesHaveHeaders: StateRule<MapState> = (map, { report }) => {
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

const longestLabel = 40;

/** The name of a distributed Map's runs can be part of an ARN. Spec: AWS "Distributed mode" */
const labelsAreNames: StateRule<MapState> = ({ Label: label, at }, { report }) => {
  const fault = label === undefined ? undefined : labelFault(label);
  if (fault !== undefined) report(badLabel(fault), [...at, 'Label']);
};

function labelFault(label: string): string | undefined {
  if (label === '') return 'it is empty';
  if (label.length > longestLabel) return `it has ${label.length} characters`;
  const odd = /[\s\p{Cc}?*<>{}[\]:;,\\|^~$#%&`"]/u.exec(label)?.[0];
  return odd === undefined ? undefined : `it has the character ${JSON.stringify(odd)}`;
}

export const mapRules: readonly StateRule<MapState>[] = [
  mapsHaveAProcessor,
  mapsHaveItems,
  mapFieldsAreGivenOnce,
  executionTypesFit,
  distributedFieldsFit,
  batchesHaveALimit,
  tablesHaveHeaders,
  labelsAreNames,
];
