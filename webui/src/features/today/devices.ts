// The share of each device in the time of all of them.

interface DeviceTime {
  readonly device: string;
  readonly seconds: number;
}

/** The devices with time, the largest first. Their shares add up to 1, also if devices were active at once. */
export function deviceShares(devices: readonly DeviceTime[]): (DeviceTime & { readonly share: number })[] {
  const all = devices.reduce((sum, { seconds }) => sum + seconds, 0);
  return devices
    .filter(({ seconds }) => seconds > 0)
    .map((each) => ({ ...each, share: each.seconds / all }))
    .sort((one, other) => other.seconds - one.seconds);
}
