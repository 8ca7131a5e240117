import * as z from 'zod/mini';
import { type Part, partOf } from '../../authored.ts';
import {
  agentOnly,
  block,
  count,
  flag,
  jsonataOnly,
  number,
  optional,
  pathOnly,
  percentage,
  positiveCount,
  described,
  text,
} from '../../definition/field.ts';
import type { MachineField, StateDefinition } from '../../definition/machine.ts';
import {
  parameters,
  type StateBase,
  stateObject,
  type ValueSource,
} from '../../definition/state.ts';
import { dialects } from '../../dialect.ts';
import {
  asRecord,
  isAny,
  isNumber,
  optionalJson,
  optionalString,
  readValueSource,
} from '../../normalise/fields.ts';
import { type Reading, readOutcome } from '../../normalise/state.ts';

/** How a Map runs its machines. Amazon #map-state, AWS "Distributed mode" */
const processorConfig = z.object({
  Mode: optional(z.enum(['INLINE', 'DISTRIBUTED']), 'INLINE, or DISTRIBUTED for many items.'),
  ExecutionType: optional(
    z.enum(['STANDARD', 'EXPRESS']),
    'The kind of the runs of a distributed Map.',
  ),
});

/** Amazon #map-state-item-reader */
const readerConfig = z.object({
  InputType: optional(
    z.enum(['CSV', 'JSON', 'JSONL', 'MANIFEST', 'PARQUET']),
    'The format of the items.',
  ),
  Transformation: optional(
    z.enum(['NONE', 'LOAD_AND_FLATTEN']),
    'How items or results are rewritten.',
  ),
  CSVHeaderLocation: optional(
    z.enum(['FIRST_ROW', 'GIVEN']),
    'Where the headers of a CSV table are.',
  ),
  CSVHeaders: optional(z.array(text), 'The headers, when the table has none.'),
  CSVDelimiter: optional(
    z.enum(['COMMA', 'PIPE', 'SEMICOLON', 'SPACE', 'TAB']),
    'The delimiter of a CSV table.',
  ),
  ManifestType: optional(z.enum(['ATHENA_DATA', 'S3_INVENTORY']), 'The kind of a manifest.'),
  ItemsPointer: optional(text, 'Where the items are in a JSON file: a JSON pointer.'),
  /** Amazon #map-state-item-reader */
  MaxItems: optional(
    number('a whole number from 0 to 100,000,000', {
      type: 'integer',
      minimum: 0,
      maximum: 100_000_000,
    }),
    'How many items are read; 0 is all of them.',
  ),
  MaxItemsPath: pathOnly(text, 'Where the value of `MaxItems` is.'),
});

/** Amazon #map-state-item-reader */
const itemReader = z.object({
  Resource: described(text, 'The service that reads or writes.'),
  ...parameters,
  /** Amazon #arguments-jsonata */
  Arguments: jsonataOnly(z.unknown(), 'The request to the service.'),
  ReaderConfig: optional(readerConfig, 'What is read.'),
});

const bytes = number('a whole number of bytes from 1 to 262,144', {
  type: 'integer',
  minimum: 1,
  maximum: 262_144,
});

/** Amazon #map-state-item-batcher */
const itemBatcher = z.object({
  BatchInput: optional(z.unknown(), 'Data for each batch.'),
  MaxItemsPerBatch: optional(positiveCount, 'The most items of a batch.'),
  MaxItemsPerBatchPath: pathOnly(text, 'Where the value of `MaxItemsPerBatch` is.'),
  MaxInputBytesPerBatch: optional(bytes, 'The largest batch in bytes.'),
  MaxInputBytesPerBatchPath: pathOnly(text, 'Where the value of `MaxInputBytesPerBatch` is.'),
});

/** Amazon #map-state-result-writer */
const writerConfig = z.object({
  OutputType: optional(z.enum(['JSON', 'JSONL']), 'The format of the results.'),
  Transformation: optional(
    z.enum(['NONE', 'COMPACT', 'FLATTEN']),
    'How items or results are rewritten.',
  ),
});

const resultWriter = z.object({
  Resource: optional(text, 'The service that reads or writes.'),
  ...parameters,
  /** Amazon #arguments-jsonata */
  Arguments: jsonataOnly(z.unknown(), 'The request to the service.'),
  WriterConfig: optional(writerConfig, 'How results are written.'),
});

/** Spec: Agent 2 §Map State, Amazon #map-state */
const map = stateObject(
  [
    'filters',
    'output',
    'assign',
    'resultSelector',
    'resultPath',
    'retryAndCatch',
    'transition',
    'agentBlocks',
    'parameters',
  ],
  {
    /** Amazon #map-state */
    ItemsPath: pathOnly(text, 'Where the items are; required in Agent 2 §Map State.'),
    /** Amazon #map-state */
    Items: jsonataOnly(z.unknown(), 'The items.'),
    /** Agent 2 §Map State, Amazon #map-state-item-selector */
    ItemSelector: optional(z.unknown(), "The input of each item's machine, a template."),
    /** Agent 2 §Map State, Amazon #map-state */
    MaxConcurrency: optional(count, 'How many items run at once.'),
    /** Amazon #map-state */
    MaxConcurrencyPath: pathOnly(text, 'Where the value of `MaxConcurrency` is.'),
    /** Amazon #map-state-item-reader */
    ItemReader: optional(itemReader, 'Where a distributed Map reads its items.'),
    /** Amazon #map-state-item-batcher */
    ItemBatcher: optional(itemBatcher, 'Puts several items into one run.'),
    /** Amazon #map-state-result-writer */
    ResultWriter: optional(resultWriter, 'Where a distributed Map writes its results.'),
    /** Amazon #map-state-failure-tolerance */
    ToleratedFailureCount: optional(count, 'How many items may fail.'),
    ToleratedFailureCountPath: pathOnly(text, 'Where the value of `ToleratedFailureCount` is.'),
    /** Amazon #map-state-failure-tolerance */
    ToleratedFailurePercentage: optional(percentage, 'The percentage of items that may fail.'),
    ToleratedFailurePercentagePath: pathOnly(
      text,
      'Where the value of `ToleratedFailurePercentage` is.',
    ),
    /** AWS "Distributed mode" */
    Label: optional(text, 'A name for the runs of a distributed Map.'),
    /** Agent 9 §Progress */
    Streaming: agentOnly(block, 'Has no effect yet.'),
    /** Agent 8 §Idempotency */
    Idempotent: agentOnly(flag, 'Has no effect yet.'),
  },
);

export type ItemBatcher = NonNullable<ReturnType<typeof readBatcher>>;

type InputType = NonNullable<z.infer<typeof readerConfig>['InputType']>;

/** Where a distributed Map reads its items. AWS "ItemReader" */
export type ItemReader = NonNullable<ReturnType<typeof readReader>>;

type Transformation = 'NONE' | 'COMPACT' | 'FLATTEN';

/** Where a distributed Map writes its results, and how they look. AWS "ResultWriter" */
export type ResultWriter = NonNullable<ReturnType<typeof readWriter>>;

export type MapState = ReturnType<typeof readMap>;

const processor: MachineField = {
  owner: 'An item processor',
  ownFields: {
    ProcessorConfig: optional(processorConfig, 'How the items are run.'),
  },
  schemaOf: (machine) => optional(machine, 'The states that run for each item.'),
};

export const mapDefinition: StateDefinition<MapState> = {
  schema: map,
  machineFields: {
    /** The machine for each item. Agent 2 §Map State; the older name in Amazon #map-state */
    Iterator: processor,
    /** The machine for each item. Amazon #map-state */
    ItemProcessor: processor,
  },
  machinesOf: ({ ItemProcessor: machine }) => (machine ? [machine] : []),
  blocks: {
    'ItemProcessor.ProcessorConfig': ['A processor configuration', processorConfig],
    ItemReader: ['An item reader', itemReader],
    'ItemReader.ReaderConfig': ['A reader configuration', readerConfig],
    ItemBatcher: ['An item batcher', itemBatcher],
    ResultWriter: ['A result writer', resultWriter],
    'ResultWriter.WriterConfig': ['A writer configuration', writerConfig],
  },
  inertFields: ['Streaming', 'Idempotent'],
};

export function readMap(base: StateBase, authored: Part, reading: Reading) {
  const { value: fields } = authored;
  const amount = (name: string) => readValueSource(authored, name, isNumber, base.QueryLanguage);
  const machine = partOf(authored, 'ItemProcessor') ?? partOf(authored, 'Iterator');
  const { Mode: mode } = asRecord(machine?.value['ProcessorConfig']);
  return {
    ...base,
    ...readOutcome(authored, reading),
    Type: 'Map' as const,
    /** The items; undefined in a JSONata state without `Items`: the input is the list. */
    Items: readItems(base, authored),
    /** The input of each item's machine; undefined is the item itself. */
    ItemSelector: optionalJson(fields['ItemSelector'] ?? fields['Parameters']),
    /** `Iterator` or `ItemProcessor`. */
    ItemProcessor: machine && reading.readMachine(machine, reading),
    Mode: mode === 'DISTRIBUTED' ? ('DISTRIBUTED' as const) : ('INLINE' as const),
    /** 0 means unlimited. The default is 0 in the amazon dialect, and 1 in the agent dialect. */
    MaxConcurrency: amount('MaxConcurrency') ?? {
      value: dialects[reading.dialect].mapConcurrency,
      at: base.at,
    },
    ItemBatcher: readBatcher(base, authored),
    ItemReader: readReader(base, authored),
    ResultWriter: readWriter(authored),
    ToleratedFailureCount: amount('ToleratedFailureCount'),
    ToleratedFailurePercentage: amount('ToleratedFailurePercentage'),
    Label: optionalString(fields['Label']),
  };
}

/** The items of a JSONPath state are in its input, unless a field names another place. */
function readItems(base: StateBase, authored: Part): ValueSource | undefined {
  if (base.QueryLanguage === 'JSONata') return readValueSource(authored, 'Items', isAny, 'JSONata');
  const path = optionalString(authored.value['ItemsPath']);
  return path === undefined ? { path: '$', at: base.at } : { path, at: [...base.at, 'ItemsPath'] };
}

function readBatcher(base: StateBase, authored: Part) {
  const batcher = partOf(authored, 'ItemBatcher');
  if (!batcher) return undefined;
  const amount = (name: string) => readValueSource(batcher, name, isNumber, base.QueryLanguage);
  return {
    BatchInput: optionalJson(batcher.value['BatchInput']),
    MaxItemsPerBatch: amount('MaxItemsPerBatch'),
    MaxInputBytesPerBatch: amount('MaxInputBytesPerBatch'),
  };
}

const delimiters: Readonly<Record<string, string>> = {
  COMMA: ',',
  PIPE: '|',
  SEMICOLON: ';',
  SPACE: ' ',
  TAB: '\t',
};

function readReader(base: StateBase, authored: Part) {
  const reader = partOf(authored, 'ItemReader');
  if (!reader) return undefined;
  const config = partOf(reader, 'ReaderConfig') ?? { value: {}, at: reader.at };
  const { CSVHeaderLocation: location, CSVHeaders: headers, CSVDelimiter: named } = config.value;
  const { InputType: type, ManifestType: manifest } = config.value;
  return {
    Resource: optionalString(reader.value['Resource']) ?? '',
    /** `Parameters` or `Arguments`: the request to S3. */
    Arguments: optionalJson(reader.value['Arguments'] ?? reader.value['Parameters']),
    InputType: optionalString(type) as InputType | undefined,
    ManifestType: optionalString(manifest) as 'ATHENA_DATA' | 'S3_INVENTORY' | undefined,
    /** The objects of a list are read, and their items are the items of the Map. */
    loads: config.value['Transformation'] === 'LOAD_AND_FLATTEN',
    /** The headers of a CSV table; undefined when its first row has them. */
    CSVHeaders:
      location === 'GIVEN' && Array.isArray(headers)
        ? headers.map((header) => String(header))
        : undefined,
    /** One character. */
    CSVDelimiter: (typeof named === 'string' && delimiters[named]) || ',',
    ItemsPointer: optionalString(config.value['ItemsPointer']),
    MaxItems: readValueSource(config, 'MaxItems', isNumber, base.QueryLanguage),
  };
}

/** Written results keep all data of their runs; other results keep only the output. AWS "ResultWriter" */
function readWriter(authored: Part) {
  const writer = partOf(authored, 'ResultWriter');
  if (!writer) return undefined;
  const config = asRecord(writer.value['WriterConfig']);
  const resource = optionalString(writer.value['Resource']);
  const transformation = optionalString(config['Transformation']) as Transformation | undefined;
  return {
    /** Undefined when the results are only transformed. */
    Resource: resource,
    /** `Parameters` or `Arguments`: the bucket and the prefix. */
    Arguments: optionalJson(writer.value['Arguments'] ?? writer.value['Parameters']),
    OutputType: config['OutputType'] === 'JSONL' ? ('JSONL' as const) : ('JSON' as const),
    Transformation: transformation ?? (resource === undefined ? 'COMPACT' : 'NONE'),
  };
}
