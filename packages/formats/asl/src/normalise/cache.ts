import { parseDuration } from '../data/timestamp.ts';
import type { Cache } from '../definition/cache.ts';
import { partOf, type Part } from '../authored.ts';
import { readValueSource, isText, optionalString } from './fields.ts';

/** `Cache`, or its short form `CacheResult` with `CacheTTL`. Agent 7 §Cache, Agent 8 §Idempotency */
export function readCache(authored: Part): Cache | undefined {
  const { value: fields } = authored;
  const block = partOf(authored, 'Cache');
  if (!block && fields['CacheResult'] !== true) return undefined;
  if (block?.value['Enabled'] === false) return undefined;
  const ttl = optionalString(block ? block.value['TTL'] : fields['CacheTTL']);
  const scope = optionalString(block?.value['Scope']);
  return {
    key: block && readValueSource(block, 'Key', isText, 'JSONPath'),
    ttl: ttl === undefined || ttl === 'never' ? undefined : parseDuration(ttl),
    scope: (scope as Cache['scope'] | undefined) ?? 'workflow',
  };
}
