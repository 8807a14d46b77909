// The rate of a job, from samples.

interface Look {
  readonly at: number;
  readonly done: number;
}

/** Only recent samples count. */
const WINDOW = 5000;

export function addLook(looks: readonly Look[], at: number, done: number): readonly Look[] {
  if (looks.at(-1)?.done === done && looks.length > 1) return looks;
  return [...looks.filter((look) => at - look.at <= WINDOW), { at, done }];
}

/** Per second; undefined without enough samples. */
export function rateOf(looks: readonly Look[]): number | undefined {
  const [first, last] = [looks[0], looks.at(-1)];
  if (!first || !last || last.at - first.at < 400) return undefined;
  return ((last.done - first.done) * 1000) / (last.at - first.at);
}
