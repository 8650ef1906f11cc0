#!/bin/sh
# The shards of a plan as an array of Slurm, and the table after them: on_slurm.sh PLAN.json RESULTS TABLE.csv
# All nodes reach these paths. A shard whose node fails is queued again, and goes on after the rows it has.
set -eu
plan=$1 results=$2 table=$3
shards=${SHARDS:-20}
takt=${TAKT_PROGRAM:-takt}

array=$(sbatch --parsable --requeue --array="1-$shards" --cpus-per-task=1 --output="${LOGS:-/dev/null}" \
  --wrap="$takt batch run '$plan' --results '$results' --shard \$SLURM_ARRAY_TASK_ID/$shards")
sbatch --wait --dependency="afterok:$array" --kill-on-invalid-dep=yes --output="${LOGS:-/dev/null}" \
  --wrap="$takt batch merge '$plan' --results '$results' --csv '$table'"
