/** The libraries that only some workflows need. In a browser they are chunks of their own. */
export { fromJSONSchema, prettifyError } from '#json-schemas';
export { default as jsonata } from 'jsonata';
export { RE2JS, RE2Set } from 're2js';
