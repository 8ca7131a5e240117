import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { frontEndRoutes, openApi, operations } from '../src/index.ts';

test('the description of the routes is valid OpenAPI 3.1, and describes all of them', async () => {
  const document = JSON.parse(JSON.stringify(openApi()));
  const validator = new Validator();
  expect(await validator.validate(document)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  const described = Object.values<Record<string, { operationId: string }>>(document.paths)
    .flatMap((path) => Object.values(path))
    .map(({ operationId }) => operationId);
  expect(described.toSorted()).toEqual(
    [
      ...Object.keys(operations),
      ...Object.keys(frontEndRoutes),
      'events',
      'healthz',
      'readyz',
    ].toSorted(),
  );
});
