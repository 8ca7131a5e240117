import { loadEngines } from '#engines';

/**
 * Loads what workflows with JSONata, regular expressions or JSON Schemas need. A page calls it before it compiles or runs such
 * a workflow, and a bundler makes a chunk of it that other pages never load. Outside of browsers the engines are always
 * loaded.
 *
 * @throws TypeError when the chunk cannot be loaded; a later call tries again
 * @example
 * ```ts
 * await loadWorkflowEngines();
 * const doubled = { Type: 'Pass', Output: '{% $states.input * 2 %}', End: true };
 * const text = JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'Double', States: { Double: doubled } });
 * console.log(compile(text).diagnostics); // → []
 * ```
 */
export async function loadWorkflowEngines(): Promise<void> {
  await loadEngines();
}
