/**
 * The steps that the searches of one value may take, each up to 13 ns. Steps are counted and not timed, so that the same
 * value has the same result every time.
 */
export class SearchBudget {
  stepsLeft = 3_200_000;
}
