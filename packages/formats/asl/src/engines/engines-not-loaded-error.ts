import { DramaturgError } from '@dramaturg/compiler';

/** Thrown in a browser by a workflow that needs an engine before `loadWorkflowEngines` has loaded it. */
export class EnginesNotLoadedError extends DramaturgError<'asl/engines-not-loaded'> {
  override readonly name = 'EnginesNotLoadedError';

  constructor() {
    super(
      'asl/engines-not-loaded',
      'This workflow needs JSONata, a regular expression or a JSON Schema. Call "await loadWorkflowEngines()" before it runs.',
    );
  }
}
