# result FILE: the object of a run without what depends on the time and on who has worked, to compare two runs.
result() { sed -E 's/"(seconds|busy_seconds)":[^,}]*//g; s/"seconds_by_part":\{[^}]*\}//; s/"members":\[[^]]*\]//; s/"trace":\[[^]]*\]//; s/,+/,/g; s/,}/}/g' "$1"; }
