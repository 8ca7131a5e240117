export { compileExpression, expressionFault, sourceOf } from './expression.ts';
export type { JsonataScope } from './scope.ts';
export { compileJsonata } from './template.ts';
