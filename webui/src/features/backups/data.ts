// Backups and their health.
import { api, body } from "../../core/api/client";
import type { BackupSchedule } from "../../core/api/schema";

export type { BackupSchedule as Schedule };
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

export function setSchedule(schedule: BackupSchedule) {
  return body(api.PUT("/api/1/backups/schedule", { body: schedule }));
}

export function makeBackup() {
  return body(api.POST("/api/1/backups"));
}

export function verifyBackup(name: string) {
  return body(api.POST("/api/1/backups/{backup}/verify", { params: { path: { backup: name } } }));
}
