// Backups and their health.
import { api, body } from "../../core/api/client";

type Asked = { signal: AbortSignal };

export const backupQueries = {
  list: () => ({
    queryKey: ["backups"],
    queryFn: ({ signal }: Asked) => body(api.GET("/api/1/backups", { signal })),
    // The server makes a backup once a day.
    refetchInterval: 60_000,
  }),
  health: () => ({
    queryKey: ["backups", "health"],
    queryFn: ({ signal }: Asked) => body(api.GET("/api/1/health", { signal })),
    refetchInterval: 60_000,
  }),
};

export function makeBackup() {
  return body(api.POST("/api/1/backups"));
}

export function verifyBackup(name: string) {
  return body(api.POST("/api/1/backups/{backup}/verify", { params: { path: { backup: name } } }));
}
