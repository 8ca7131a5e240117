import { placesIn } from '@dramaturg/compiler';
import { asl } from '@dramaturg/asl';
import { expect, test } from 'vitest';
import { hclJson } from '../src/places/hcl-json.ts';
import { hclTokens } from '../src/places/hcl-template.ts';

/** HCL Native Syntax Specification: expressions as the JSON that `jsonencode` makes of them. */

const formats = [asl];
const jsonOf = (text: string) => hclJson(text, [...hclTokens(text)]).text;
const valueOf = (text: string): unknown => JSON.parse(jsonOf(text));

test.for<readonly [hcl: string, value: unknown]>([
  // Literals
  ['null', null],
  ['true', true],
  ['false', false],
  ['0', 0],
  ['12', 12],
  ['-3', -3],
  ['1.25', 1.25],
  ['2e3', 2000],
  ['2.5E-1', 0.25],
  ['(5)', 5],
  ['(("a"))', 'a'],
  // Quoted templates
  ['""', ''],
  [String.raw`"a\n\r\t\"\\z"`, 'a\n\r\t"\\z'],
  [String.raw`"\u00e9 \U0001F600"`, 'é 😀'],
  ['"世界 😀"', '世界 😀'],
  ['"${var.a}"', '${var.a}'],
  ['"a-${var.a}-${b.c[0].d}"', 'a-${var.a}-${b.c[0].d}'],
  ['"${lookup(var.f, "a")}"', "${lookup(var.f, 'a')}"],
  ['"${merge({a = "}"}, x)}"', "${merge((a = ')'), x)}"],
  ['"${ ~ var.a ~ }"', '${var.a}'],
  ['"${~ var.a ~}"', '${var.a}'],
  ['"${1 + var.a}"', '${expression 1 + var.a}'],
  ['"$${not.filled}"', '${not.filled}'],
  ['"100%% %%{x}"', '100%% %{x}'],
  ['"%{ if var.a }x%{ endif }"', '${if var.a}x${endif}'],
  ['"$.a $$.b {% $x %}"', '$.a $$.b {% $x %}'],
  // Heredocs
  ['<<EOT\na "b"\n  ${var.x}\nEOT\n', 'a "b"\n  ${var.x}\n'],
  ['<<-EOT\n    a\n      b\n\n    c\n    EOT\n', 'a\n  b\n\nc\n'],
  ['<<A\n\\n $${x}\nA\n', '\\n ${x}\n'],
  // Lists
  ['[]', []],
  ['[1, "a", true,]', [1, 'a', true]],
  ['[\n  1,\n  # none\n  [2], /* x */ {a = 3}\n]', [1, [2], { a: 3 }]],
  ['[\n<<A\nx\nA\n, 2]', ['x\n', 2]],
  ['[for x in y : x]', '${expression [for x in y :x]}'],
  // Objects
  ['{}', {}],
  ['{ a = 1, "b" = 2, c: 3 }', { a: 1, b: 2, c: 3 }],
  [
    '{\n  a = 1\n  "b c" : 2 // two\n  d-e = 3,\n  for = 4\n}',
    { a: 1, 'b c': 2, 'd-e': 3, for: 4 },
  ],
  ['{ 5 = "five", "${var.k}" = 1, (var.k) = 2 }', { 5: 'five', '${var.k}': 2 }],
  [
    '{ "x.$" = "$.y", "States" = { A = { Type = "Pass" } } }',
    { 'x.$': '$.y', States: { A: { Type: 'Pass' } } },
  ],
  ['{ a = [\n 1,\n 2\n ]\n b = {\n c = 1 } }', { a: [1, 2], b: { c: 1 } }],
  ['{\n a = <<A\nx\nA\n b = 2\n}', { a: 'x\n', b: 2 }],
  // What only Terraform can compute
  ['var.a', '${var.a}'],
  ['aws_lambda_function.f["a b"].arn', "${aws_lambda_function.f['a b'].arn}"],
  ['module.m.x[*].id', '${module.m.x[*].id}'],
  ['var.a ? 1 : 2', '${var.a ? 1 :2}'],
  ['!var.a', '${expression !var.a}'],
  ['var.a >= 1 && var.b != 2', '${var.a >= 1 && var.b != 2}'],
  ['1 + 2 * var.b', '${expression 1 + 2 * var.b}'],
  ['{ a = var.x == 1 ? { b = 1 } : null, c = 2 }', { a: '${var.x == 1 ? ( b = 1 ) :null}', c: 2 }],
  ['{ a = max(1,\n 2), b = f({ c = 1 }) }', { a: '${max(1, 2)}', b: '${f(( c = 1 ))}' }],
  ['{ a = { for k, v in var.m : k => v } }', { a: '${expression ( for k, v in var.m :k => v )}' }],
  ['jsonencode({ a = "${var.x}" })', '{"a":"${var.x}"}'],
  ['{ a = jsonencode([1, "b"]) }', { a: '[1,"b"]' }],
])('%s', ([hcl, value]) => {
  expect(valueOf(hcl)).toEqual(value);
});

const machine = (definition: string) =>
  `resource "aws_sfn_state_machine" "m" {\n  name = "m"\n  definition = ${definition}\n  type = "STANDARD"\n}\n`;

function placed(file: string) {
  const places = placesIn(file, { formats, fileName: 'main.tf' })?.places ?? [];
  return places.map(({ name, source, values, elsewhere }) => ({
    name,
    value: source?.value,
    values,
    elsewhere,
    problems: source?.diagnostics.map(
      ({ code, range: { start } }) => `${start.line}:${start.column} ${code}`,
    ),
    at: (...path: (string | number)[]) => {
      const { start, end } = source!.locate(path);
      return file.slice(start.offset, end.offset);
    },
  }));
}

test('the parts of a definition have the places of the file', () => {
  const [found] = placed(
    machine(
      'jsonencode({\n    StartAt = "A" # first\n    "States" : {\n      A = {\n        Type = "Task", Resource = aws_lambda_function.f.arn\n        End  = true\n      }\n    }\n  })',
    ),
  );
  expect(found).toMatchObject({ name: 'm', elsewhere: undefined, problems: [] });
  expect(found!.value).toEqual({
    StartAt: 'A',
    States: { A: { Type: 'Task', Resource: '${aws_lambda_function.f.arn}', End: true } },
  });
  expect(found!.at('StartAt')).toBe('"A"');
  expect(found!.at('States', 'A', 'Resource')).toBe('aws_lambda_function.f.arn');
  expect(found!.at('States', 'A', 'End')).toBe('true');
});

test('locals and defaults of variables are known, and given values win', () => {
  const file = `
variable "limit" { default = 30 }
variable "unknown" { type = string }
locals {
  stage = "dev"
  flow = { StartAt = "A", States = { A = { Type = "Wait", Seconds = var.limit, End = true } } }
  text = jsonencode(local.flow)
  retry = [{ MaxAttempts = 2 }]
}
${machine('jsonencode(local.flow)')}${machine('local.text')}`;
  const [one, two] = placed(file);
  expect(one!.value).toEqual(two!.value);
  expect(one!.value).toMatchObject({ StartAt: 'A' });
  expect(one!.values).toMatchObject({
    'var.limit': 30,
    'local.stage': 'dev',
    'local.retry': [{ MaxAttempts: 2 }],
  });
  expect(one!.values).not.toHaveProperty(['var.unknown']);
});

test('the values of templatefile are known to the file that it names', () => {
  const [found] = placed(
    machine(
      'templatefile("${path.module}/a.asl.json", { limit = 5, arn = aws_lambda_function.f.arn })',
    ),
  );
  expect(found).toMatchObject({ elsewhere: { file: 'a.asl.json' }, values: { limit: 5 } });
  expect(found!.values).not.toHaveProperty('arn');
});

test.for([
  ['{ StartAt "A" }', 'read/'],
  ['{ StartAt = , States = {} }', 'read/'],
  ['{ StartAt = "A"', 'read/'],
  ['{ = 1 }', 'read/'],
  ['{ StartAt = "A" States = {} }', 'read/'],
  ['{ StartAt = ["A" }', 'read/'],
  ['{ StartAt = f("A" }', 'read/'],
])('%s is reported where it is', ([definition]) => {
  const [found] = placed(machine(`jsonencode(${definition})`));
  expect(found!.problems!.length).toBeGreaterThan(0);
  expect(found!.problems![0]).toMatch(/^[3-6]:\d+ read\//);
});

test('hostile expressions are bounded and reported', () => {
  const deep = `${'{ a = '.repeat(20_000)}1${' }'.repeat(20_000)}`;
  expect(placed(machine(`jsonencode(${deep})`))[0]!.problems![0]).toContain('read/too-deep');
  const lists = '['.repeat(50_000);
  expect(placed(machine(`jsonencode({ a = ${lists} })`))[0]!.problems!.length).toBeGreaterThan(0);
  const encoded = `${'jsonencode('.repeat(500)}"a"${')'.repeat(500)}`;
  expect(placed(machine(`jsonencode({ a = ${encoded} })`))[0]!.value).toBeDefined();
  for (const text of [
    '"',
    '"${',
    '"${"'.repeat(20_000),
    '<<A\n',
    '${'.repeat(20_000),
    '"$${'.repeat(10_000),
  ])
    expect(placed(machine(`jsonencode({ a = ${text}`)).length).toBeLessThan(2);
});

test('workflows are found in modules and in resources of awscc', () => {
  const workflow = '{ StartAt = "Pay", States = { Pay = { Type = "Succeed" } } }';
  const text = `
    locals { pay = jsonencode(${workflow}) }
    module "orders" {
      source     = "terraform-aws-modules/step-functions/aws"
      type       = "EXPRESS"
      definition = jsonencode(${workflow})
    }
    module "own" {
      source     = "./flow"
      definition = local.pay
    }
    module "third" {
      source     = "./flow"
      definition = templatefile("pay.asl.json", {})
    }
    module "network" {
      source     = "./vpc"
      definition = "10.0.0.0/16"
    }
    resource "awscc_stepfunctions_state_machine" "refunds" {
      state_machine_type = "STANDARD"
      definition_string  = <<-EOT
        { "StartAt": "Pay", "States": { "Pay": { "Type": "Succeed" } } }
      EOT
    }`;
  const found = placesIn(text, { formats, fileName: 'main.tf' });
  const value = { StartAt: 'Pay', States: { Pay: { Type: 'Succeed' } } };
  const kinds = found?.places.map(({ name, options, source }) => [
    name,
    options['kind'],
    source?.value,
  ]);
  expect(kinds).toEqual([
    ['refunds', undefined, value],
    ['orders', 'express', value],
    ['own', undefined, value],
    ['third', undefined, undefined],
  ]);
});

const steps =
  'locals {\n  steps = ["A", "B"]\n  base = { StartAt = "A" }\n  more = { a = local.late, b = aws_x.y.arn }\n  late = "late-${var.n}"\n  all = { one = merge(local.base, { Comment = "x" }), two = { Version = aws_x.y.arn } }\n}\nvariable "n" { default = 3 }\n';

test.for<readonly [definition: string, value: unknown]>([
  ['jsonencode(merge(local.base, { Comment = "x" }))', { StartAt: 'A', Comment: 'x' }],
  ['jsonencode(merge({ a = 1, b = 2 }, ({ b = 3 }), {}))', { a: 1, b: 3 }],
  [
    'jsonencode(merge(local.more, { c = merge({}, { "d" = 1 }) }))',
    { a: '${local.late}', b: '${aws_x.y.arn}', c: { d: 1 } },
  ],
  [
    'jsonencode({ States = { for s in local.steps : s => { Next = "${s}-2", At = s } } })',
    { States: { A: { Next: 'A-2', At: 'A' }, B: { Next: 'B-2', At: 'B' } } },
  ],
  [
    'jsonencode({ a = [for i, s in local.steps : { i = i, s = "${s}" } if s != "A"] })',
    { a: [{ i: 1, s: 'B' }] },
  ],
  [
    'jsonencode({ a = [for k, v in { x = { n = 1 }, y = { n = 2 } } : v.n if v.n == 2] })',
    { a: [2] },
  ],
  [
    'jsonencode({ a = [for s in toset(["a"]) : [for t in [1, 2] : "${s}${t}"]] })',
    { a: [['a1', 'a2']] },
  ],
  ['jsonencode({ a = [for s in local.steps : upper(s)] })', { a: ['${upper(s)}', '${upper(s)}'] }],
  ['<<EOT\n  ${jsonencode({ a = local.steps })}\nEOT\n', { a: '${local.steps}' }],
  ['"${jsonencode(merge(local.base, {}))}"', { StartAt: 'A' }],
  ['jsonencode(local.all.one)', { StartAt: 'A', Comment: 'x' }],
  ['jsonencode(local.all["two"])', { Version: '${aws_x.y.arn}' }],
  ['{ StartAt = "A" }', { StartAt: 'A' }],
  ['{\n    StartAt = "A"\n    Comment = {\n  }\n  }', { StartAt: 'A', Comment: {} }],
  ['jsonencode(\n    { StartAt = "A" }\n  )', { StartAt: 'A' }],
  [
    'jsonencode(merge(\n    local.base,\n    { Comment = "x" },\n  )\n  )',
    { StartAt: 'A', Comment: 'x' },
  ],
  [
    'jsonencode({ for k, t in { a = { n = null }, b = { n = "x" } } : k => merge({ T = t.n }, t.n == null ? { End = true } : { Next = t.n }) })',
    { a: { T: null, End: true }, b: { T: 'x', Next: 'x' } },
  ],
  ['jsonencode({ a = var.n == 3 ? "yes" : "no", b = true ? [1] : [] })', { a: 'yes', b: [1] }],
  ['jsonencode(false ? {} : var.n != 3 ? { a = 1 } : { a = 2 })', { a: 2 }],
  ['jsonencode({ a = true ? false ? 1 : 2 : 3 })', { a: 2 }],
  // What is not known stays a placeholder.
  ['jsonencode({ a = var.x ? 1 : 2 })', { a: '${var.x ? 1 :2}' }],
  ['jsonencode({ a = [for s in var.names : s] })', { a: '${expression [for s in var.names :s]}' }],
  [
    'jsonencode({ a = { for s in local.steps : upper(s) => 1 } })',
    { a: '${expression ( for s in local.steps :upper(s) => 1 )}' },
  ],
  ['jsonencode({ a = merge(local.base, var.more) })', { a: '${merge(local.base, var.more)}' }],
  [
    'jsonencode({ a = merge(local.nobody, {}) })',
    { a: '${merge(local.nobody, {})}'.replace('{})', '())') },
  ],
  [
    'jsonencode({ a = [for s in local.steps : s if contains(var.names, s)] })',
    { a: '${expression [for s in local.steps :s if contains(var.names, s)]}' },
  ],
])('%s is evaluated as far as it is known', ([definition, value]) => {
  expect(placed(steps + machine(definition))[0]!.value).toEqual(value);
});

test.each([
  ['jsonencode(yamldecode(file("a.yaml")))', { location: '"a.yaml"', file: 'a.yaml' }],
  [
    '<<EOT\n%{ for s in [1] ~}{}%{ endfor ~}\nEOT\n',
    { location: 'an expression of Terraform: a text with loops or conditions' },
  ],
])('%s is named', (definition, elsewhere) => {
  const found = placesIn(machine(definition), { formats, fileName: 'a.tf' });
  expect(found?.places[0]?.elsewhere).toMatchObject(elsewhere);
});

test('locals may depend on each other in any order', () => {
  const [found] = placed(steps + machine('jsonencode({ a = local.late })'));
  expect(found!.values).toMatchObject({ 'local.late': 'late-3', 'var.n': 3 });
});

test('a part of a loop has the place of its expression', () => {
  const file =
    steps + machine('jsonencode({ States = { for s in local.steps : s => { Next = "C" } } })');
  expect(placed(file)[0]!.at('States', 'B', 'Next')).toBe('"C"');
});

test.each([
  ['a = merge(local.a, {})', 'local.a'],
  ['a = [local.a]', 'local.a'],
  [
    Array.from(
      { length: 40 },
      (_, at) => `l${at} = merge(local.l${at + 1}, local.l${at + 1})`,
    ).join('\n'),
    'local.l0',
  ],
  [
    Array.from({ length: 40 }, (_, at) => `l${at} = [local.l${at + 1}, local.l${at + 1}]`).join(
      '\n',
    ),
    'local.l0',
  ],
  [
    `t = [${'1,'.repeat(3000)}]`,
    '[for a in local.t : [for b in local.t : [for c in local.t : c]]]',
  ],
])('locals that grow without an end do not hold the process: %#', (locals, used) => {
  const file = `locals {\n${locals}\n}\n${machine(`jsonencode(merge({ x = ${used} }, ${used}))`)}`;
  expect(JSON.stringify(placed(file)).length).toBeLessThan(20_000_000);
});
