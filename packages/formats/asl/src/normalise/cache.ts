import { parseDuration } from '../data/timestamp.ts';
import type { Cache } from '../definition/cache.ts';
import { given, isText, partOf, type Placed, textOf } from './fields.ts';

/** `Cache`, or its short form `CacheResult` with `CacheTTL`. Agent 7 §Cache, Agent 8 §Idempotency */
export function readCache(placed: Placed): Cache | undefined {
  const { value: fields } = placed;
  const block = partOf(placed, 'Cache');
  if (!block && fields['CacheResult'] !== true) return undefined;
  if (block?.value['Enabled'] === false) return undefined;
  const ttl = textOf(block ? block.value['TTL'] : fields['CacheTTL']);
  const scope = textOf(block?.value['Scope']);
  return {
    key: block && given(block, 'Key', isText, 'JSONPath'),
    ttl: ttl === undefined || ttl === 'never' ? undefined : parseDuration(ttl),
    scope: (scope as Cache['scope'] | undefined) ?? 'workflow',
  };
}
