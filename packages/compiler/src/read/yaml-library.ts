/**
 * The YAML parser. For browsers it is bundled without what writes YAML and without the tags of YAML 1.1: those are reached from methods and tables
 * of the parser, where no bundler can leave them out.
 */
export { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml';
