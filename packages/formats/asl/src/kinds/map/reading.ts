import { partOf, type Part } from '../../authored.ts';
import type {
  ItemBatcher,
  ItemReader,
  MapState,
  ResultWriter,
  StateBase,
  ValueSource,
} from '../../definition/index.ts';
import type { Transformation } from '../../definition/map.ts';
import { dialects } from '../../dialect.ts';
import {
  readValueSource,
  isAny,
  isNumber,
  optionalJson,
  asRecord,
  optionalString,
} from '../../normalise/fields.ts';
import type { Reading } from '../../normalise/reading.ts';
import { readRecovery } from '../../normalise/retry.ts';
import { readLeads, readResult } from '../../normalise/state.ts';

export function readMap(base: StateBase, authored: Part, reading: Reading): MapState {
  const { value: fields } = authored;
  const amount = (name: string) => readValueSource(authored, name, isNumber, base.QueryLanguage);
  const processor = partOf(authored, 'ItemProcessor') ?? partOf(authored, 'Iterator');
  const { Mode: mode } = asRecord(processor?.value['ProcessorConfig']);
  return {
    ...base,
    ...readResult(authored),
    ...readRecovery(authored, reading),
    ...readLeads(authored),
    Type: 'Map',
    Items: readItems(base, authored),
    ItemSelector: optionalJson(fields['ItemSelector'] ?? fields['Parameters']),
    ItemProcessor: processor && reading.readMachine(processor, reading),
    Mode: mode === 'DISTRIBUTED' ? mode : 'INLINE',
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

function readBatcher(base: StateBase, authored: Part): ItemBatcher | undefined {
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

function readReader(base: StateBase, authored: Part): ItemReader | undefined {
  const reader = partOf(authored, 'ItemReader');
  if (!reader) return undefined;
  const config = partOf(reader, 'ReaderConfig') ?? { value: {}, at: reader.at };
  const { CSVHeaderLocation: location, CSVHeaders: headers, CSVDelimiter: named } = config.value;
  const { InputType: type, ManifestType: manifest } = config.value;
  return {
    Resource: optionalString(reader.value['Resource']) ?? '',
    Arguments: optionalJson(reader.value['Arguments'] ?? reader.value['Parameters']),
    InputType: optionalString(type) as ItemReader['InputType'],
    ManifestType: optionalString(manifest) as ItemReader['ManifestType'],
    loads: config.value['Transformation'] === 'LOAD_AND_FLATTEN',
    CSVHeaders:
      location === 'GIVEN' && Array.isArray(headers)
        ? headers.map((header) => String(header))
        : undefined,
    CSVDelimiter: (typeof named === 'string' && delimiters[named]) || ',',
    ItemsPointer: optionalString(config.value['ItemsPointer']),
    MaxItems: readValueSource(config, 'MaxItems', isNumber, base.QueryLanguage),
  };
}

/** Written results keep all data of their runs; other results keep only the output. AWS "ResultWriter" */
function readWriter(authored: Part): ResultWriter | undefined {
  const writer = partOf(authored, 'ResultWriter');
  if (!writer) return undefined;
  const config = asRecord(writer.value['WriterConfig']);
  const resource = optionalString(writer.value['Resource']);
  const transformation = optionalString(config['Transformation']) as Transformation | undefined;
  return {
    Resource: resource,
    Arguments: optionalJson(writer.value['Arguments'] ?? writer.value['Parameters']),
    OutputType: config['OutputType'] === 'JSONL' ? 'JSONL' : 'JSON',
    Transformation: transformation ?? (resource === undefined ? 'COMPACT' : 'NONE'),
  };
}
