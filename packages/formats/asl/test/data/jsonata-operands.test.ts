import { realWorld } from '@dramaturg/compiler/machine';
import { expect, test } from 'vitest';
import { compileExpression, operandTexts } from '../../src/data/jsonata/expression.ts';

test.each([
  ['{% $a > 1 %}', []],
  ['{% $a and $b %}', ['$a', '$b']],
  ['{%$a>1and($b)%}', ['$a>1', '$b']],
  ['{% ($a or $not( $b = 2 )) and $exists($c) %}', ['$a', '$b = 2', '$exists($c)']],
  ['{% $not($a and $b) %}', ['$a', '$b']],
  ['{% $a and ($x := 1; $x > $b) %}', ['$a', '($x := 1; $x > $b)']],
  ['{% $c[x and y] or "and" in $a %}', ['$c[x and y]', '"and" in $a']],
  ['{% $a /* and */ and /* ) */ ($b) %}', ['$a /* and */', '$b']],
])('the operands of %s', (expression, operands) => {
  expect(operandTexts(expression)).toEqual(operands);
});

const values = [true, false, 0, 2, '', 'a', [], [false], [0, 1], {}, { x: 1 }, null];

test.each([
  '{% $a and $b %}',
  '{% $a or $b %}',
  '{% $not($a and $b) or $exists($b) %}',
  '{% $a > 1 and $not($b = 2) %}',
  '{% $not($missing or $a) and ($b) %}',
])('an observed %s decides as before', (expression) => {
  const evaluate = compileExpression(expression, 'Condition');
  for (const a of values)
    for (const b of values) {
      const scope = { states: {}, variables: { a, b }, world: realWorld };
      const outcome = (onOperand?: () => void) => {
        try {
          return evaluate(scope, onOperand);
        } catch (error) {
          return (error as Error).message;
        }
      };
      expect(outcome(() => undefined)).toEqual(outcome());
    }
});
