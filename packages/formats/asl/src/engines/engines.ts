/**
 * The engines that only some workflows need: all of JSONata, patterns and JSON Schemas. In a browser they are chunks of
 * their own.
 */
export { fromJSONSchema, prettifyError } from '#json-schemas';
export { default as jsonata } from 'jsonata';
export { compileSource } from '../data/jsonata/compile-source.ts';
export { evaluationModule } from './evaluation.ts';
export { LinearRegex } from '../data/jsonata/linear-regex.ts';
export { operandTexts } from '../data/jsonata/operands.ts';
