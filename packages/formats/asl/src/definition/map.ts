import type { Json } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import {
  agentOnly,
  block,
  count,
  flag,
  jsonataOnly,
  number,
  pathOnly,
  percentage,
  positiveCount,
  text,
} from './field.ts';
import type { Machine } from './machine.ts';
import { type HasRecovery, retryAndCatch } from './retry.ts';
import {
  agentBlocks,
  assign,
  common,
  filters,
  type ValueSource,
  type HasResult,
  type HasNext,
  output,
  parameters,
  resultPath,
  resultSelector,
  type StateBase,
  transition,
} from './state.ts';
import type { MachineField, StateDefinition } from './state-definition.ts';

/** How a Map runs its machines. Amazon #map-state, AWS "Distributed mode" */
const processorConfig = z.object({
  Mode: z
    .optional(z.enum(['INLINE', 'DISTRIBUTED']))
    .check(z.describe('INLINE, or DISTRIBUTED for many items.')),
  ExecutionType: z
    .optional(z.enum(['STANDARD', 'EXPRESS']))
    .check(z.describe('The kind of the runs of a distributed Map.')),
});

/** Amazon #map-state-item-reader */
const readerConfig = z.object({
  InputType: z
    .optional(z.enum(['CSV', 'JSON', 'JSONL', 'MANIFEST', 'PARQUET']))
    .check(z.describe('The format of the items.')),
  Transformation: z
    .optional(z.enum(['NONE', 'LOAD_AND_FLATTEN']))
    .check(z.describe('How items or results are rewritten.')),
  CSVHeaderLocation: z
    .optional(z.enum(['FIRST_ROW', 'GIVEN']))
    .check(z.describe('Where the headers of a CSV table are.')),
  CSVHeaders: z.optional(z.array(text)).check(z.describe('The headers, when the table has none.')),
  CSVDelimiter: z
    .optional(z.enum(['COMMA', 'PIPE', 'SEMICOLON', 'SPACE', 'TAB']))
    .check(z.describe('The delimiter of a CSV table.')),
  ManifestType: z
    .optional(z.enum(['ATHENA_DATA', 'S3_INVENTORY']))
    .check(z.describe('The kind of a manifest.')),
  ItemsPointer: z
    .optional(text)
    .check(z.describe('Where the items are in a JSON file: a JSON pointer.')),
  /** Amazon #map-state-item-reader */
  MaxItems: z
    .optional(
      number('a whole number from 0 to 100,000,000', {
        type: 'integer',
        minimum: 0,
        maximum: 100_000_000,
      }),
    )
    .check(z.describe('How many items are read; 0 is all of them.')),
  MaxItemsPath: pathOnly(text).check(z.describe('Where the value of `MaxItems` is.')),
});

/** Amazon #map-state-item-reader */
const itemReader = z.object({
  Resource: text.check(z.describe('The service that reads or writes.')),
  ...parameters,
  /** Amazon #arguments-jsonata */
  Arguments: jsonataOnly(z.unknown()).check(z.describe('The request to the service.')),
  ReaderConfig: z.optional(readerConfig).check(z.describe('What is read.')),
});

const bytes = number('a whole number of bytes from 1 to 262,144', {
  type: 'integer',
  minimum: 1,
  maximum: 262_144,
});

/** Amazon #map-state-item-batcher */
const itemBatcher = z.object({
  BatchInput: z.optional(z.unknown()).check(z.describe('Data for each batch.')),
  MaxItemsPerBatch: z.optional(positiveCount).check(z.describe('The most items of a batch.')),
  MaxItemsPerBatchPath: pathOnly(text).check(
    z.describe('Where the value of `MaxItemsPerBatch` is.'),
  ),
  MaxInputBytesPerBatch: z.optional(bytes).check(z.describe('The largest batch in bytes.')),
  MaxInputBytesPerBatchPath: pathOnly(text).check(
    z.describe('Where the value of `MaxInputBytesPerBatch` is.'),
  ),
});

/** Amazon #map-state-result-writer */
const writerConfig = z.object({
  OutputType: z.optional(z.enum(['JSON', 'JSONL'])).check(z.describe('The format of the results.')),
  Transformation: z
    .optional(z.enum(['NONE', 'COMPACT', 'FLATTEN']))
    .check(z.describe('How items or results are rewritten.')),
});

const resultWriter = z.object({
  Resource: z.optional(text).check(z.describe('The service that reads or writes.')),
  ...parameters,
  /** Amazon #arguments-jsonata */
  Arguments: jsonataOnly(z.unknown()).check(z.describe('The request to the service.')),
  WriterConfig: z.optional(writerConfig).check(z.describe('How results are written.')),
});

/** Spec: Agent 2 §Map State, Amazon #map-state */
const map = z.object({
  ...common,
  ...filters,
  ...output,
  ...assign,
  ...resultSelector,
  ...resultPath,
  ...retryAndCatch,
  ...transition,
  ...agentBlocks,
  /** The older name of `ItemSelector`. Amazon #map-state-item-selector */
  ...parameters,
  /** Amazon #map-state */
  ItemsPath: pathOnly(text).check(
    z.describe('Where the items are; required in Agent 2 §Map State.'),
  ),
  /** Amazon #map-state */
  Items: jsonataOnly(z.unknown()).check(z.describe('The items.')),
  /** Agent 2 §Map State, Amazon #map-state-item-selector */
  ItemSelector: z
    .optional(z.unknown())
    .check(z.describe("The input of each item's machine, a template.")),
  /** Agent 2 §Map State, Amazon #map-state */
  MaxConcurrency: z.optional(count).check(z.describe('How many items run at once.')),
  /** Amazon #map-state */
  MaxConcurrencyPath: pathOnly(text).check(z.describe('Where the value of `MaxConcurrency` is.')),
  /** Amazon #map-state-item-reader */
  ItemReader: z.optional(itemReader).check(z.describe('Where a distributed Map reads its items.')),
  /** Amazon #map-state-item-batcher */
  ItemBatcher: z.optional(itemBatcher).check(z.describe('Puts several items into one run.')),
  /** Amazon #map-state-result-writer */
  ResultWriter: z
    .optional(resultWriter)
    .check(z.describe('Where a distributed Map writes its results.')),
  /** Amazon #map-state-failure-tolerance */
  ToleratedFailureCount: z.optional(count).check(z.describe('How many items may fail.')),
  ToleratedFailureCountPath: pathOnly(text).check(
    z.describe('Where the value of `ToleratedFailureCount` is.'),
  ),
  /** Amazon #map-state-failure-tolerance */
  ToleratedFailurePercentage: z
    .optional(percentage)
    .check(z.describe('The percentage of items that may fail.')),
  ToleratedFailurePercentagePath: pathOnly(text).check(
    z.describe('Where the value of `ToleratedFailurePercentage` is.'),
  ),
  /** AWS "Distributed mode" */
  Label: z.optional(text).check(z.describe('A name for the runs of a distributed Map.')),
  /** Agent 9 §Progress */
  Streaming: agentOnly(block).check(z.describe('Has no effect yet.')),
  /** Agent 8 §Idempotency */
  Idempotent: agentOnly(flag).check(z.describe('Has no effect yet.')),
});

export interface ItemBatcher {
  readonly BatchInput: Json | undefined;
  readonly MaxItemsPerBatch: ValueSource<number> | undefined;
  readonly MaxInputBytesPerBatch: ValueSource<number> | undefined;
}

export type InputType = NonNullable<z.infer<typeof readerConfig>['InputType']>;

/** Where a distributed Map reads its items. AWS "ItemReader" */
export interface ItemReader {
  readonly Resource: string;
  /** `Parameters` or `Arguments`: the request to S3. */
  readonly Arguments: Json | undefined;
  readonly InputType: InputType | undefined;
  readonly ManifestType: 'ATHENA_DATA' | 'S3_INVENTORY' | undefined;
  /** The objects of a list are read, and their items are the items of the Map. */
  readonly loads: boolean;
  /** The headers of a CSV table; undefined when its first row has them. */
  readonly CSVHeaders: readonly string[] | undefined;
  /** One character. */
  readonly CSVDelimiter: string;
  readonly ItemsPointer: string | undefined;
  readonly MaxItems: ValueSource<number> | undefined;
}

export type Transformation = 'NONE' | 'COMPACT' | 'FLATTEN';

/** Where a distributed Map writes its results, and how they look. AWS "ResultWriter" */
export interface ResultWriter {
  /** Undefined when the results are only transformed. */
  readonly Resource: string | undefined;
  /** `Parameters` or `Arguments`: the bucket and the prefix. */
  readonly Arguments: Json | undefined;
  readonly OutputType: 'JSON' | 'JSONL';
  readonly Transformation: Transformation;
}

export interface MapState extends StateBase, HasResult, HasRecovery, HasNext {
  readonly Type: 'Map';
  /** The items; undefined in a JSONata state without `Items`: the input is the list. */
  readonly Items: ValueSource | undefined;
  /** The input of each item's machine; undefined is the item itself. */
  readonly ItemSelector: Json | undefined;
  /** `Iterator` or `ItemProcessor`. */
  readonly ItemProcessor: Machine | undefined;
  readonly Mode: 'INLINE' | 'DISTRIBUTED';
  /** 0 means unlimited. The default is 0 in the amazon dialect, and 1 in the agent dialect. */
  readonly MaxConcurrency: ValueSource<number>;
  readonly ItemBatcher: ItemBatcher | undefined;
  readonly ItemReader: ItemReader | undefined;
  readonly ResultWriter: ResultWriter | undefined;
  readonly ToleratedFailureCount: ValueSource<number> | undefined;
  readonly ToleratedFailurePercentage: ValueSource<number> | undefined;
  readonly Label: string | undefined;
}

const processor: MachineField = {
  owner: 'An item processor',
  ownFields: {
    ProcessorConfig: z.optional(processorConfig).check(z.describe('How the items are run.')),
  },
  schemaOf: (machine) =>
    z.optional(machine).check(z.describe('The states that run for each item.')),
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
