import { expect, test } from 'vitest';
import * as z from 'zod';
import { fillPlaceholders } from '../src/placeholders/fill.ts';
import { placeholderNames } from '../src/placeholders/placeholder.ts';
import { UnfilledValues } from '../src/reporter.ts';
import { read } from '../src/read/read.ts';

const placeholders = true;

test('names are found, and what is text of another language is not', () => {
  expect(placeholderNames('arn:${AWS::Region}:${Orders.Arn}/${file(./a.json):key}')).toEqual([
    'AWS::Region',
    'Orders.Arn',
    'file(./a.json):key',
  ]);
  expect(placeholderNames(`\${"a": b} \${a: b} $\{1} \${} \${open`)).toEqual([]);
});

test('a placeholder without quotes is read as text, and what follows keeps its position', () => {
  const text = '{\n  "a": ${some.number}, "b": [${x}, 1],\n  "c": "${y}"\n}';
  const source = read(text, { placeholders });
  expect(source.diagnostics).toEqual([]);
  expect(source.value).toEqual({ a: '${some.number}', b: ['${x}', 1], c: '${y}' });
  expect(source.locate(['a']).start).toMatchObject({ line: 2, column: 8 });
  expect(source.locate(['b', 1]).start).toMatchObject({ line: 2, column: 36 });
  expect(read(text).diagnostics.map(({ code }) => code)).toContain('read/syntax');
});

test('placeholders in comments and quotes are left alone', () => {
  const text = '{ // ${a}\n "x": "\\"${b}", /* ${c} */ "y": ${d} }';
  expect(read(text, { placeholders }).value).toEqual({ x: '"${b}', y: '${d}' });
});

test('tags of CloudFormation are the objects that they stand for', () => {
  const text =
    'a: !GetAtt Orders.Arn\nb: !Join ["-", [x, !Ref Y]]\nc: !Sub\n  - "${k}"\n  - k: 1\n';
  const source = read(text, { placeholders });
  expect(source.diagnostics).toEqual([]);
  expect(source.value).toEqual({
    a: { 'Fn::GetAtt': 'Orders.Arn' },
    b: { 'Fn::Join': ['-', ['x', { Ref: 'Y' }]] },
    c: { 'Fn::Sub': ['${k}', { k: 1 }] },
  });
  expect(source.locate(['b', 'Fn::Join', 1, 1]).start).toMatchObject({ line: 2, column: 25 });
  expect(read(text).diagnostics.map(({ code }) => code)).toContain('read/not-json-value');
});

test('with placeholders, brackets may close at any indentation', () => {
  const text = 'policy:\n    key: {\n      "a": [ 1\n  ]\n}\nnext: 2\n';
  expect(read(text, { placeholders })).toMatchObject({
    value: { policy: { key: { a: [1] } }, next: 2 },
    diagnostics: [],
  });
  expect(read(text).diagnostics).not.toEqual([]);
  const open = 'policy: { "a": [ 1\nnext: 2\n';
  expect(read(open, { placeholders }).diagnostics).toEqual(read(open).diagnostics);
});

test('with placeholders, a text in quotes may go on at any indentation', () => {
  const text = 'a:\n    b: "{\n  \\"c\\": 1\n}"\n    d: \'x\ny\'\nnext: 2\n';
  expect(read(text, { placeholders })).toMatchObject({
    value: { a: { b: '{ "c": 1 }', d: 'x y' }, next: 2 },
    diagnostics: [],
  });
  const open = 'a:\n  b: "{\n  c: 1\n';
  expect(read(open, { placeholders }).diagnostics).toEqual(read(open).diagnostics);
});

test('the brackets of placeholders are no brackets of YAML', () => {
  const text = 'a: { b: ${B}, ${c}: [${D}, "${e, f}"] }\nd: 1\n';
  const source = read(text, { placeholders });
  expect(source.diagnostics).toEqual([]);
  expect(source.value).toEqual({ a: { b: '${B}', '${c}': ['${D}', '${e, f}'] }, d: 1 });
  expect(source.locate(['a', '${c}', 1]).start).toMatchObject({ line: 1, column: 28 });
});

const schema = z.object({
  name: z.string(),
  seconds: z.number(),
  list: z.array(z.number()).optional(),
  either: z.union([z.boolean(), z.object({ a: z.number() })]).optional(),
});

test('a value is text where the schema takes text, else of the type that it takes', () => {
  const value = { name: '${n}', seconds: '${n}', either: '${yes}', other: 'is ${n}' };
  expect(fillPlaceholders(value, schema, { n: '30', yes: 'true' })).toEqual({
    value: { name: '30', seconds: 30, either: true, other: 'is 30' },
    unfilled: [],
  });
  expect(fillPlaceholders({ name: 'a', seconds: '${n}' }, schema, { n: 'soon' }).value).toEqual({
    name: 'a',
    seconds: 'soon',
  });
});

test('without a value, a sample of the right type takes its place, and the value stays known as unfilled', () => {
  const value = { name: '${n}', seconds: '${n}', list: '${l}', either: { a: '${a}' } };
  const { value: filled, unfilled } = fillPlaceholders(value, schema, {});
  expect(schema.safeParse(filled).success).toBe(true);
  expect(filled).toMatchObject({ name: '${n}' });
  expect(unfilled).toEqual([
    { path: ['name'], names: ['n'], isSample: false },
    { path: ['seconds'], names: ['n'], isSample: true },
    { path: ['list'], names: ['l'], isSample: true },
    { path: ['either', 'a'], names: ['a'], isSample: true },
  ]);
  expect(value.seconds).toBe('${n}');
});

test('a call is an object where the schema takes one, else the text that it gives', () => {
  const textOfCall = (value: Readonly<Record<string, unknown>>) =>
    typeof value['Ref'] === 'string' ? `\${${value['Ref']}}` : undefined;
  const fill = (value: unknown, values = {}) => fillPlaceholders(value, schema, values, textOfCall);
  const call = { Ref: 'n' };
  expect(fill({ name: call, seconds: call, other: call })).toEqual({
    value: { name: '${n}', seconds: 1, other: call },
    unfilled: [
      { path: ['name'], names: ['n'], isSample: false },
      { path: ['seconds'], names: ['n'], isSample: true },
    ],
  });
  expect(fill({ name: call, seconds: call }, { n: 5 })).toEqual({
    value: { name: '5', seconds: 5 },
    unfilled: [],
  });
});

test('keys are filled too', () => {
  const value = { name: '${n}', seconds: 1, states: [{ '${n} ${m}': { '${n}': 1 } }] };
  expect(fillPlaceholders(value, schema, { n: 'a' }).value).toEqual({
    name: 'a',
    seconds: 1,
    states: [{ 'a ${m}': { a: 1 } }],
  });
});

test('names of the prototype have no value', () => {
  const { unfilled } = fillPlaceholders({ name: '${constructor}${__proto__}' }, schema, {});
  expect(unfilled).toMatchObject([{ names: ['constructor', '__proto__'] }]);
});

test('a long text of placeholders and one of open ones are read in linear time', () => {
  const open = `{"a": ${'${a'.repeat(300_000)}`;
  expect(read(open, { placeholders }).diagnostics).not.toEqual([]);
  const many = `[${'${a},'.repeat(200_000)}1]`;
  expect((read(many, { placeholders }).value as unknown[]).length).toBe(200_001);
});

test('unfilled values are found by the paths that lead into them', () => {
  const [one, two] = [
    { path: ['a', 'b'], names: ['x'], isSample: false },
    { path: ['list', 3, 'c'], names: ['y'], isSample: true },
  ];
  const values = new UnfilledValues([one, two]);
  expect(values.around(['a', 'b'])).toBe(one);
  expect(values.around(['a', 'b', 0])).toBe(one);
  expect(values.around(['a'])).toBeUndefined();
  expect(values.around(['list', '*', 'c'])).toBe(two);
  expect(values.around(['list', '*'])).toBeUndefined();
});
